import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { WebhookForm } from './webhook-form';
import { getForOwner, handleEdit } from './webhooks.server';

export const handle = { page: 'webhooks:edit', form: 'webhook' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getForOwner(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleEdit(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function EditWebhookPage() {
  const { webhook, hasSecondFactor } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('webhooks');
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to={`/user/settings/webhooks/${webhook.id}`}>{t('one.back')}</Link>}
        title={t('edit.title')}
      />
      <div className="sheet">
        <WebhookForm
          lastResult={actionData?.lastResult}
          webhook={webhook}
          hasSecondFactor={hasSecondFactor}
        />
      </div>
    </div>
  );
}
