import '~/styles/mail-links.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { getCaptcha } from '~/http/captcha.server';
import { requireVisitor } from '~/http/guards.server';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import { FormPage } from '~/ui/page-layouts';
import { EmailForm, ExpiredLink, useEmailForm } from './mail-link';
import { handleForgotPassword } from './recovery.server';

export const handle: PageHandle & FormHandle = {
  page: (data) => ({
    key: (data as { isSent: boolean }).isSent ? 'account:forgot.sent' : 'account:forgot',
    values: {},
  }),
  form: (data) => ((data as { isSent: boolean }).isSent ? null : 'forgot'),
};

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireVisitor(args);
  const isSent = scope.url.searchParams.has('sent');
  return { isSent, captcha: await getCaptcha(scope) };
}

export async function action(args: ActionFunctionArgs) {
  return handleForgotPassword(await requireVisitor(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function ForgotPasswordPage() {
  const { isSent, captcha: check } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('account');
  const email = useEmailForm({
    id: 'forgot',
    lastResult: actionData?.lastResult,
    check: isSent ? null : check,
    action: 'forgot_password',
  });
  const toLogin = (
    <ul className="links">
      {isSent && (
        <li>
          <Link to="/forgot-password">{t('forgot.again')}</Link>
        </li>
      )}
      <li>
        <Link to="/login">{t('links.login')}</Link>
      </li>
    </ul>
  );
  if (isSent) {
    return (
      <ExpiredLink texts="forgot.sent">
        <p>{t('forgot.sent.hint')}</p>
        {toLogin}
      </ExpiredLink>
    );
  }
  return (
    <FormPage title={t('forgot.title')} lead={t('forgot.lead')} errors={email.summary}>
      <EmailForm email={email} label={t('forgot.submit')} />
      {toLogin}
    </FormPage>
  );
}
