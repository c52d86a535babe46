import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { buttonClass } from '~/ui/button';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading, Sheet } from '~/ui/page-layouts';
import { AddPasskey, PasskeyList } from './passkeys';
import { findPasskeys, handlePasskeys } from './passkeys.server';

export const handle = { page: 'settings:passkeys' };

export async function loader(args: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  return { ...(await findPasskeys(scope)), locale: scope.locale };
}

export async function action(args: ActionFunctionArgs) {
  return handlePasskeys(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function PasskeysPage() {
  const { passkeys, hasSecondFactor, locale } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  const lastResult = actionData && 'lastResult' in actionData ? actionData.lastResult : undefined;
  const lastResultOf = (intent: string) =>
    lastResult?.initialValue?.intent === intent ? lastResult : undefined;
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings">{t('twoStep.back')}</Link>}
        title={t('passkeys.title')}
        lead={t('passkeys.lead')}
      />
      <p className="note">{t('passkeys.needs')}</p>
      {passkeys.length > 0 && (
        <Sheet title={t('passkeys.yours')}>
          <PasskeyList passkeys={passkeys} locale={locale} lastResult={lastResultOf('rename')} />
          {passkeys.length > 1 && (
            <p>
              <Link to="/user/settings/passkeys/all" className={buttonClass('secondary')}>
                {t('passkeys.removeAll')}
              </Link>
            </p>
          )}
        </Sheet>
      )}
      <AddPasskey
        registration={actionData && 'options' in actionData ? actionData : null}
        lastResult={lastResultOf('start')}
        hasSecondFactor={hasSecondFactor}
      />
    </div>
  );
}
