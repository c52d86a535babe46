import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { DateTime } from '~/ui/time';
import { RotationForm } from './webhook-form';
import { getForOwner, handleRotation } from './webhooks.server';

export const handle = { page: 'webhooks:rotation' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getForOwner(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleRotation(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RotationPage() {
  const { webhook, hasSecondFactor, locale } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('webhooks');
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to={`/user/settings/webhooks/${webhook.id}`}>{t('one.back')}</Link>}
        title={t('rotation.title')}
        lead={t('rotation.lead')}
      />
      <div className="sheet">
        <p className="mono web-address">{webhook.url}</p>
        {webhook.earlierSecretUntil ? (
          <p>
            {t('secret.earlier')} <DateTime value={webhook.earlierSecretUntil} locale={locale} />
          </p>
        ) : (
          <RotationForm lastResult={actionData?.lastResult} hasSecondFactor={hasSecondFactor} />
        )}
      </div>
    </div>
  );
}
