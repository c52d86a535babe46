import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { CodePicture } from '~/codes/code/picture';
import { drawCode } from '~/codes/pictures/code-image';
import { env } from '~/http/env.server';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { findSecondFactor, handleSecondFactor } from './second-factor.server';
import { OnForms, RecoveryCodes, SetupForm, StartForm } from './two-step-forms';

export const handle = { page: 'settings:twoStep' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const { setup, ...secondFactor } = await findSecondFactor(scope);
  const { size = 0, path = '' } = setup ? drawCode(setup.uri, {}) : {};
  return {
    ...secondFactor,
    setup: setup && { ...setup, drawn: { size, path } },
    email: scope.user.email,
    appName: env.APP_NAME,
  };
}

export async function action(args: ActionFunctionArgs) {
  return handleSecondFactor(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function TwoStepPage() {
  const { state, setup, recoveryCodesLeft, email, appName } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  const lastResult = actionData && 'lastResult' in actionData ? actionData.lastResult : undefined;
  const lastResultOf = (intent: string) =>
    lastResult?.initialValue?.intent === intent ? lastResult : undefined;
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={
          !(actionData && 'recoveryCodes' in actionData) && (
            <Link to="/user/settings">{t('twoStep.back')}</Link>
          )
        }
        title={t('twoStep.title')}
        lead={t('twoStep.lead')}
      />
      {actionData && 'recoveryCodes' in actionData ? (
        <RecoveryCodes codes={actionData.recoveryCodes} appName={appName} email={email} />
      ) : (
        <>
          {state === 'off' && <StartForm lastResult={lastResultOf('start')} />}
          {setup && (
            <SetupForm
              secret={setup.secret}
              uri={setup.uri}
              picture={<CodePicture drawn={setup.drawn} label={t('twoStep.picture')} />}
              lastResult={lastResultOf('confirm')}
            />
          )}
          {state === 'on' && <OnForms recoveryCodesLeft={recoveryCodesLeft} lastResultOf={lastResultOf} />}
        </>
      )}
    </div>
  );
}
