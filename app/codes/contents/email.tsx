import { useTranslation } from 'react-i18next';
import { Field, TextArea } from '~/ui/field';
import type { ContentForm, DetailsProps } from './content-form';

export const email: ContentForm = {
  icon: 'mail',
  main: 'address',
  label: 'address',
  control: { type: 'email', autoComplete: 'email', spellCheck: false },
  Details,
  related: { address: ['content'] },
};

function Details({ fields, message, ...area }: DetailsProps) {
  const { t } = useTranslation('design');
  return (
    <>
      <Field
        field={fields.subject}
        label={t('form.subject')}
        error={message(fields.subject.errors)}
        optional
      />
      <TextArea
        field={fields.body}
        label={t('form.body')}
        error={message(fields.body.errors)}
        {...area}
        optional
      />
    </>
  );
}
