import { getFormProps } from '@conform-to/react';
import { Form } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { type LastResult, useSchemaForm } from '~/ui/schema-form';

/** A form with an e-mail address alone, and what is wrong with it. */
export function useEmailForm(id: string, lastResult: LastResult) {
  const [form, fields] = useSchemaForm<Record<'email', string>>({
    id,
    lastResult,
    constraint: { email: { required: true } },
  });
  return { form, field: fields.email, ...useErrorTexts('account', form) };
}

interface Props {
  email: ReturnType<typeof useEmailForm>;
  /** Path it posts to; the page's own when absent. */
  action?: string;
  intent?: string;
  label: string;
}

export function EmailForm({ email: { form, field, message }, action, intent, label }: Props) {
  const { t } = useTranslation('account');
  return (
    <Form method="post" {...(action && { action })} {...getFormProps(form)} className="form">
      {intent && <input type="hidden" name="intent" value={intent} />}
      <Field
        field={field}
        type="email"
        label={t('login.email')}
        error={message(field.errors)}
        maxLength={254}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Button>{label}</Button>
    </Form>
  );
}
