import { LINK_PAGE_HEADERS } from '~/http/link-page.server';
import { readScope } from '~/http/scope.server';
import '~/styles/mail-links.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button } from '~/ui/button';
import type { Captcha } from '~/ui/captcha';
import { Form } from '~/ui/form';
import type { FormHandle } from '~/ui/language-switch';
import { usePageActionData } from '~/ui/page-action-data';
import type { PageHandle } from '~/ui/page-head';
import type { LastResult } from '~/ui/server-validated-form';
import { EmailForm, ExpiredLink, useEmailForm } from './mail-link';
import { type LinkState, readOnboardingLink } from './mail-link.server';
import { handleOnboarding } from './onboarding.server';
import { OnboardingForm } from './onboarding-form';

export const handle: PageHandle & FormHandle = {
  page: (data) => {
    const { state } = data as { state: LinkState | 'sent' };
    return { key: state === 'live' ? 'account:onboarding' : `account:onboarding.${state}`, values: {} };
  },
  form: (data) => ((data as { state: string }).state === 'live' ? 'onboarding' : null),
};

export function headers() {
  return LINK_PAGE_HEADERS;
}

export async function loader(args: LoaderFunctionArgs) {
  return readOnboardingLink(await readScope(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleOnboarding(await readScope(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function OnboardingPage() {
  const { state, captcha, ...buyer } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  if (state === 'live') return <OnboardingForm buyer={buyer} lastResult={actionData?.lastResult} />;
  return <OnboardingOver state={state} lastResult={actionData?.lastResult} check={captcha} />;
}

interface OverProps {
  state: Exclude<LinkState, 'live'> | 'sent';
  lastResult: LastResult;
  check: Captcha;
}

function OnboardingOver({ state, lastResult, check }: OverProps) {
  const { t } = useTranslation('account');
  const email = useEmailForm({
    id: 'resend',
    lastResult,
    check: state === 'sent' ? null : check,
    action: 'resend_onboarding',
  });
  return (
    <ExpiredLink texts={`onboarding.${state}`} errors={email.summary}>
      {state === 'used' || state === 'expired' ? (
        <Form prepare={email.robot.prepare}>
          <input type="hidden" name="intent" value="resend" />
          {email.robot.fields}
          <Button>{t('onboarding.resend')}</Button>
        </Form>
      ) : (
        state !== 'sent' && <EmailForm email={email} intent="resend" label={t('onboarding.resend')} />
      )}
      <ul className="links">
        <li>
          <Link to="/login">{t('links.login')}</Link>
        </li>
        <li>
          <Link to="/forgot-password">{t('login.forgot')}</Link>
        </li>
        <li>
          <Link to="/contact">{t('links.contact')}</Link>
        </li>
      </ul>
    </ExpiredLink>
  );
}
