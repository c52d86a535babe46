import { useTranslation } from 'react-i18next';
import { useElementId } from '~/ui/element-id';
import { RadioGroup } from '~/ui/radio-group';
import type { Consent } from './choice';

const OPTIONAL = ['analytics', 'advertising'] as const;

/** The three kinds of cookies; only an explicit yes is shown as one. */
export function ConsentFields({ consent }: { consent: Consent | null }) {
  const { t } = useTranslation('consent');
  const id = useElementId();
  return (
    <>
      <RadioGroup
        field={{ id: `${id}-necessary`, name: 'necessary', initialValue: 'yes' }}
        legend={t('necessary.title')}
        hint={t('necessary.hint')}
        options={[{ value: 'yes', label: t('necessary.always'), disabled: true }]}
      />
      {OPTIONAL.map((name) => (
        <RadioGroup
          key={name}
          field={{ id: `${id}-${name}`, name, initialValue: consent?.[name] ? 'yes' : 'no' }}
          legend={t(`${name}.title`)}
          hint={t(`${name}.hint`)}
          options={[
            { value: 'no', label: t('deny') },
            { value: 'yes', label: t('allow') },
          ]}
        />
      ))}
    </>
  );
}
