import { LINK_PAGE_HEADERS } from '~/http/link-page.server';
import { readScope } from '~/http/scope.server';
import '~/styles/mail-links.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import { type Captcha, useCaptcha } from '~/ui/captcha';
import { Form } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import { NewPassword, RevokesKeys } from './credential-fields';
import { EmailForm, ExpiredLink, useEmailForm } from './mail-link';
import { type LinkState, readMailLink } from './mail-link.server';
import { OwnEmail } from './onboarding-form';
import { handleResetPassword } from './recovery.server';

export const handle: PageHandle & FormHandle = {
  page: (data) => {
    const { state } = data as { state: LinkState };
    return { key: state === 'live' ? 'account:reset' : `account:reset.${state}`, values: {} };
  },
  form: (data) => ((data as { state: LinkState }).state === 'live' ? 'reset' : null),
};

export function headers() {
  return LINK_PAGE_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return readMailLink(await readScope(args), 'reset');
}

export async function action(args: ActionFunctionArgs) {
  return handleResetPassword(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ResetPasswordPage() {
  const { state, email, captcha } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  if (state === 'live') {
    return <ResetForm email={email} lastResult={actionData?.lastResult} check={captcha} />;
  }
  return <ResetOver state={state} lastResult={actionData?.lastResult} check={captcha} />;
}

interface FormProps {
  email: string;
  lastResult: LastResult;
  check: Captcha;
}

function ResetForm({ email, lastResult, check }: FormProps) {
  const { t } = useTranslation('account');
  const [form, fields] = useServerValidatedForm<'password' | 'confirmPassword' | 'revokesKeys'>({
    id: 'reset',
    lastResult,
    constraint: { password: { required: true }, confirmPassword: { required: true } },
  });
  const { message, summary } = useErrorTexts('account', form, ['password', 'confirmPassword']);
  const robot = useCaptcha(check, 'reset_password');
  return (
    <FormPage title={t('reset.title')} lead={t('reset.lead')} errors={summary}>
      <Form {...form.props} prepare={robot.prepare} className="form">
        {email && <OwnEmail email={email} />}
        <NewPassword password={fields.password} confirm={fields.confirmPassword} message={message} />
        <RevokesKeys field={fields.revokesKeys} />
        {robot.fields}
        <Button>{t('reset.submit')}</Button>
      </Form>
    </FormPage>
  );
}

interface OverProps {
  state: Exclude<LinkState, 'live'>;
  /**
   * Result of the form that requests another link; without scripts, its errors are shown on the page it posts
   * to.
   */
  lastResult: LastResult;
  check: Captcha;
}

function ResetOver({ state, lastResult, check }: OverProps) {
  const { t } = useTranslation('account');
  const email = useEmailForm({ id: 'forgot', lastResult, check, action: 'forgot_password' });
  return (
    <ExpiredLink texts={`reset.${state}`} errors={email.summary}>
      <EmailForm email={email} action="/forgot-password" label={t('forgot.submit')} />
    </ExpiredLink>
  );
}
