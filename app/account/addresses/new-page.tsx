import '~/styles/address-form.css';
import '~/styles/settings.css';
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { requireUser } from '~/http/guards.server';
import { usePageActionData } from '~/ui/page-action-data';
import { addressFormData, saveAddress } from './addresses.server';
import { AddressForm } from './form';

export const handle = { page: 'settings:new', form: 'address' };

export async function loader(args: LoaderFunctionArgs) {
  return addressFormData(await requireUser(args));
}

export async function action(args: ActionFunctionArgs) {
  return saveAddress(await requireUser(args));
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function NewAddressPage() {
  const { constraint, countries, key } = useLoaderData<typeof loader>();
  const actionData = usePageActionData<typeof action>();
  return (
    <AddressForm
      page="new"
      formKey={key}
      countries={countries}
      constraint={constraint}
      lastResult={actionData?.lastResult}
    />
  );
}
