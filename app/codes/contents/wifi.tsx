import { useTranslation } from 'react-i18next';
import { CheckboxField, Field, SelectField } from '~/ui/field';
import type { ContentForm, DetailsProps } from './content-form';

export const wifi: ContentForm = {
  icon: 'wifi',
  main: 'ssid',
  label: 'ssid',
  control: { autoComplete: 'off', spellCheck: false, autoCapitalize: 'none' },
  note: 'wifiFixed',
  importNote: 'wifi',
  Details,
  related: { security: ['passphrase'] },
};

function Details({ fields, message }: DetailsProps) {
  const { t } = useTranslation('design');
  return (
    <>
      <SelectField
        field={fields.security}
        label={t('form.security')}
        options={[
          { value: 'WPA', label: t('security.WPA') },
          { value: 'WEP', label: t('security.WEP') },
          { value: 'nopass', label: t('security.nopass') },
        ]}
      />
      <div className="panel--secured">
        <Field
          field={fields.passphrase}
          label={t('form.passphrase')}
          error={message(fields.passphrase.errors)}
          autoComplete="off"
          spellCheck={false}
          autoCapitalize="none"
        />
      </div>
      <CheckboxField field={fields.hidden} label={t('form.hidden')} />
    </>
  );
}
