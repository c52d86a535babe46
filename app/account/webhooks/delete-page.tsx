import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ConfirmPage } from '~/ui/page-layouts';
import { getDeletion, handleDeletion } from './webhooks.server';

export const handle = { page: 'webhooks:deletion' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getDeletion(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleDeletion(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeleteWebhookPage() {
  const { webhook } = useLoaderData<typeof loader>();
  const { t } = useTranslation('webhooks');
  const path = `/user/settings/webhooks/${webhook.id}`;
  return (
    <ConfirmPage
      className="settings-page"
      title={t('deletion.title')}
      lead={t('deletion.lead')}
      warning={t('deletion.warning')}
      action={`${path}/delete`}
      label={t('deletion.submit')}
      cancelTo={path}
      keepLabel={t('deletion.keep')}
    >
      <p className="mono web-address">{webhook.url}</p>
    </ConfirmPage>
  );
}
