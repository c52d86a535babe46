import '~/styles/address-form.css';
import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { addressFormData, getAddress, saveAddress } from './addresses.server';
import { AddressForm } from './form';

export const handle = { page: 'settings:edit', form: 'address' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const [address, form] = await Promise.all([getAddress(scope, params.id), addressFormData(scope)]);
  return { address, ...form };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return saveAddress(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function AddressPage() {
  const { address, constraint, countries } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  return (
    <AddressForm
      page="edit"
      address={address}
      countries={countries}
      constraint={constraint}
      lastResult={actionData?.lastResult}
    />
  );
}
