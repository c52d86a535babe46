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
  const secret = actionData && 'secret' in actionData ? actionData.secret : null;
  return (
    <div className="form-page settings-page">
      <PageHeading
        back={secret === null && <Link to="/user/settings/keys">{t('keys.renewal.back')}</Link>}
        title={t('keys.new.title')}
      />
      {secret === null ? (
        <NewKeyForm
          lastResult={actionData && 'lastResult' in actionData ? actionData.lastResult : undefined}
          hasSecondFactor={hasSecondFactor}
          formKey={formKey}
        />
      ) : (
        <NewSecret secret={secret} />
      )}
    </div>
  );
}
