import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { PageHeading } from '~/ui/page-layouts';
import { NewKeyForm, NewSecret } from './keys';
import { handleNewKey, prepareForm } from './keys.server';

export const handle = { page: 'settings:keys.new', form: 'new-key' };

export async function loader(args: LoaderFunctionArgs) {
  return prepareForm(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return handleNewKey(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function NewKeyPage() {
  const { hasSecondFactor, formKey } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  const { t } = useTranslation('settings');
  return (
    <div className="form-page">
      <PageHeading title={t('keys.new.title')} />
      {actionData && 'secret' in actionData ? (
        <NewSecret secret={actionData.secret} />
      ) : (
        <>
          <NewKeyForm
            lastResult={actionData?.lastResult}
            hasSecondFactor={hasSecondFactor}
            formKey={formKey}
          />
          <p>
            <Link to="/user/settings/keys">{t('keys.renewal.back')}</Link>
          </p>
        </>
      )}
    </div>
  );
}
