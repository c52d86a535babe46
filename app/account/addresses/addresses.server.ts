import { data } from '@remix-run/node';
import { z } from 'zod';
import {
  type Address,
  createAddress,
  deleteAddress as deleteCall,
  listAddresses as listCall,
  updateAddress,
} from '#contract/addresses';
import { getAddressValidation } from '#contract/validation';
import { cacheConstraints } from '~/http/constraints.server';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError, orAlreadyGone, orNotFound } from '~/http/host-error.server';
import { newFormKey, type UserScope } from '~/http/scope.server';
import { countryName, listCountries } from '~/i18n/places.server';

const text = z.string().default('');
const box = z.boolean().default(false);
const AddressFields = z.object({
  street: text,
  city: text,
  state_region: text,
  postal_code: text,
  country: text,
  professional: box,
  company_name: text,
  vat_number: text,
  siret_number: text,
  is_default: box,
  key: z.string().optional(),
});

const FIELDS = Object.keys(AddressFields.shape);
const LIST = '/user/settings';

const addressConstraints = cacheConstraints((scope: UserScope) => callHost(scope, getAddressValidation));

/** Addresses of the account with the names of their countries, the default one first. */
export async function listAddresses(scope: UserScope) {
  const { data: addresses } = await callHost(scope, listCall);
  return addresses.map((address) => ({
    ...address,
    countryName: countryName(address.country, scope.locale),
  }));
}

export type ListedAddress = Awaited<ReturnType<typeof listAddresses>>[number];

/** One address of the account; 404 page for any other id. */
export async function getAddress(scope: UserScope, id: string | undefined) {
  const address = (await listAddresses(scope)).find((one) => one.id === id);
  if (!address) throw data(null, { status: 404 });
  return address;
}

/** What the address form needs besides its values. */
export async function addressFormData(scope: UserScope) {
  const constraint = await addressConstraints(scope);
  return { constraint, countries: listCountries(scope.locale), key: newFormKey(scope) };
}

/** Adds an address, or changes the one with this id; the rules are the host's. */
export async function saveAddress(scope: UserScope, id?: string) {
  const form = await readForm(scope, FIELDS);
  return handleForm(scope, form, AddressFields, FIELDS, async ({ key, ...body }) => {
    if (id === undefined) await callHost(scope, createAddress, { body: { ...body, key } });
    else await orNotFound(callHost(scope, updateAddress, { params: { id }, body }));
    return redirectWithFlash(LIST, { type: 'success', key: id ? 'address_changed' : 'address_added' });
  });
}

/** Makes an address the default and leaves the rest of it as it is. */
export async function makeDefault(scope: UserScope, form: FormData) {
  const address: Address = await getAddress(scope, String(form.get('id')));
  const body = { ...address, is_default: true };
  try {
    await orNotFound(callHost(scope, updateAddress, { params: { id: address.id }, body }));
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    // Saved under older rules: its own page says what is missing today.
    const notice = { type: 'warning', key: 'address_outdated', persistent: true } as const;
    return redirectWithFlash(`${LIST}/addresses/${address.id}`, notice);
  }
  return redirectWithFlash(LIST, { type: 'success', key: 'address_default' });
}

/** Deletes permanently; an address that is already gone counts as deleted. */
export async function deleteAddress(scope: UserScope, id: string | undefined) {
  await orAlreadyGone(callHost(scope, deleteCall, { params: { id: id ?? '' } }));
  return redirectWithFlash(LIST, { type: 'success', key: 'billing_address_deleted' });
}
