import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { WebhookForm } from './webhook-form';
import { handleNewWebhook, prepareForm } from './webhooks.server';

export const handle = { page: 'webhooks:new', form: 'webhook' };

export async function loader(args: LoaderFunctionArgs) {
  return prepareForm(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleNewWebhook(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function NewWebhookPage() {
  const { formKey, hasSecondFactor } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('webhooks');
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings/webhooks">{t('back')}</Link>}
        title={t('new.title')}
        lead={t('lead')}
      />
      <div className="sheet">
        <WebhookForm
          lastResult={actionData?.lastResult}
          formKey={formKey}
          hasSecondFactor={hasSecondFactor}
        />
      </div>
    </div>
  );
}
