import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { KeyFacts, NewSecret, RenewalForm } from './keys';
import { getOwnKey, handleRenewal, prepareForm } from './keys.server';

export const handle = { page: 'settings:keys.renewal', form: 'renewal' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [key, form] = await Promise.all([getOwnKey(scope, params.id), prepareForm(scope)]);
  return { ...key, ...form };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleRenewal(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RenewKeyPage() {
  const { key, hasSecondFactor, formKey, locale } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  if (actionData && 'secret' in actionData)
    return (
      <div className="form-page settings-page">
        <PageHeading title={key.name} />
        <NewSecret secret={actionData.secret} />
      </div>
    );
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings/keys">{t('keys.renewal.back')}</Link>}
        title={t('keys.renewal.title')}
        lead={t('keys.renewal.lead')}
      />
      <div className="sheet">
        <KeyFacts apiKey={key} locale={locale} />
        <RenewalForm
          lastResult={actionData?.lastResult}
          hasSecondFactor={hasSecondFactor}
          formKey={formKey}
        />
      </div>
    </div>
  );
}
