import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { type Captcha, useCaptcha } from '~/ui/captcha';
import { EmailField } from '~/ui/field';
import { Form } from '~/ui/form';
import { ErrorSummary, type FormError, useErrorTexts } from '~/ui/form-errors';
import { ModulePicture } from '~/ui/module-art';
import { PageHeading } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

interface ExpiredLinkProps {
  /** Section of the `account` texts that describes the state of the link. */
  texts:
    | `${'onboarding' | 'reset' | 'confirm'}.${'missing' | 'unknown' | 'used' | 'expired'}`
    | `${'onboarding' | 'forgot'}.sent`
    | `mailsOff.${'unknown' | 'done'}`;
  errors?: FormError[];
  /** What to do next: a form that requests another link, or where to go instead. */
  children: ReactNode;
}

// An envelope, and a cross.
const SENT = '00ffc3a59981ff00';
const OVER = 'c3e77e3c3c7ee7c3';

/** Replaces the form of a mailed link when the link no longer works or another one has been sent. */
export function ExpiredLink({ texts, errors = [], children }: ExpiredLinkProps) {
  const { t } = useTranslation('account');
  return (
    <div className="form-page link-over">
      <ModulePicture rows={texts.endsWith('.sent') ? SENT : OVER} />
      <PageHeading title={t(`${texts}.title`)} lead={t(`${texts}.text`)} />
      <ErrorSummary errors={errors} />
      {children}
    </div>
  );
}

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

interface EmailFormProps {
  email: ReturnType<typeof useEmailForm>;
  /** Path it posts to; defaults to the page's own. */
  action?: string;
  intent?: string;
  label: string;
}

export function EmailForm({ email: { form, field, message, robot }, action, intent, label }: EmailFormProps) {
  const { t } = useTranslation('account');
  return (
    <Form {...(action && { action })} {...form.props} prepare={robot.prepare} className="form">
      {intent && <input type="hidden" name="intent" value={intent} />}
      <EmailField
        field={field}
        label={t('login.email')}
        error={message(field.errors)}
        maxLength={254}
        autoComplete="username"
      />
      {robot.fields}
      <Button>{label}</Button>
    </Form>
  );
}
