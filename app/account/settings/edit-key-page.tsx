import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { EditKeyForm } from './keys';
import { getOwnKey, handleEdit, prepareForm } from './keys.server';

export const handle = { page: 'settings:keys.edit', form: 'edit-key' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [{ key }, { hasSecondFactor }] = await Promise.all([getOwnKey(scope, params.id), prepareForm(scope)]);
  return { key, hasSecondFactor };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleEdit(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function EditKeyPage() {
  const { key, hasSecondFactor } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={<Link to="/user/settings/keys">{t('keys.renewal.back')}</Link>}
        title={t('keys.edit.title')}
        lead={t('keys.edit.lead')}
      />
      <div className="sheet">
        <EditKeyForm lastResult={actionData?.lastResult} apiKey={key} hasSecondFactor={hasSecondFactor} />
      </div>
    </div>
  );
}
