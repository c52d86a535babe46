import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { type Captcha, useCaptcha } from '~/ui/captcha';
import { useErrorTexts } from '~/ui/error-texts';
import { Field } from '~/ui/field';
import { Form } from '~/ui/form';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

interface Options {
  id: string;
  lastResult: LastResult;
  check: Captcha;
  /** Action name for the captcha. */
  action: string;
}

/** A form with just an e-mail address, and its errors. */
export function useEmailForm({ id, lastResult, check, action }: Options) {
  const robot = useCaptcha(check, action);
  const [form, fields] = useServerValidatedForm<'email'>({
    id,
    lastResult,
    constraint: { email: { required: true } },
  });
  const { message, summary } = useErrorTexts('account', form);
  return { form, field: fields.email, message, summary, robot };
}

interface Props {
  email: ReturnType<typeof useEmailForm>;
  /** Path it posts to; defaults to the page's own. */
  action?: string;
  intent?: string;
  label: string;
}

export function EmailForm({ email: { form, field, message, robot }, action, intent, label }: Props) {
  const { t } = useTranslation('account');
  return (
    <Form {...(action && { action })} {...form.props} prepare={robot.prepare} className="form">
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
      {robot.fields}
      <Button>{label}</Button>
    </Form>
  );
}
