import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { requireUser } from '~/http/guards.server';
import { ConfirmPage } from '~/ui/page-layouts';
import { deleteAddress, getAddress } from './addresses.server';
import { AddressText } from './list';

export const handle = { page: 'settings:deleteAddress' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  return { address: await getAddress(scope, params.id) };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return deleteAddress(await requireUser(args), params.id);
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function DeleteAddressPage() {
  const { address } = useLoaderData<typeof loader>();
  const { t } = useTranslation('settings');
  return (
    <ConfirmPage
      className="settings-page"
      title={t('deleteAddress.title')}
      lead={t('deleteAddress.lead')}
      warning={t('deleteAddress.warning')}
      action={`/user/settings/addresses/${address.id}/delete`}
      label={t('deleteAddress.submit')}
      cancelTo="/user/settings#addresses"
      keepLabel={t('deleteAddress.keep')}
    >
      <AddressText address={address} />
    </ConfirmPage>
  );
}
