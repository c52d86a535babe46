import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import type { PageHandle } from '~/ui/page-head';
import { ConfirmPage } from '~/ui/page-layouts';
import { KeyFacts } from './keys';
import { getKey, handleRevocation } from './keys.server';

const isGrant = (data: unknown) => (data as { key?: { client: unknown } } | undefined)?.key?.client != null;

export const handle: PageHandle = {
  page: (data) => ({
    key: isGrant(data) ? 'settings:keys.grants.ending' : 'settings:keys.revocation',
    values: {},
  }),
};

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return getKey(await requireUser(args), params.id);
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleRevocation(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RevokeKeyPage() {
  const { key, locale } = useLoaderData<typeof loader>();
  const { t } = useTranslation('settings');
  const texts = key.client ? 'keys.grants.ending' : 'keys.revocation';
  return (
    <ConfirmPage
      className="settings-page"
      title={t(`${texts}.title`)}
      lead={t(`${texts}.lead`)}
      warning={t('keys.revocation.warning')}
      action={`/user/settings/keys/${key.id}/revoke`}
      label={t(`${texts}.submit`)}
      cancelTo="/user/settings/keys"
      keepLabel={t(`${texts}.keep`)}
    >
      <KeyFacts apiKey={key} locale={locale} />
    </ConfirmPage>
  );
}
