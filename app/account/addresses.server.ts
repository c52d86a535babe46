import { randomUUID } from 'node:crypto';
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
import { keepConstraints } from '~/http/constraints.server';
import { checkForm, invalid, readForm } from '~/http/form.server';
import { requireUser } from '~/http/guards.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { redirectWithNotice } from '~/http/notices.server';
import { orRefuse } from '~/http/or-refuse.server';
import type { Asker } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { countryName, listCountries } from './countries.server';

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

const addressConstraints = keepConstraints(async (asker) => {
  const { token } = await requireUser(asker.request);
  return callHost(asker, getAddressValidation, { token });
});

/** Addresses of the account with the names of their countries, the default one first. */
export async function listAddresses(asker: Asker, token: string) {
  const [{ data: addresses }, locale] = await Promise.all([
    callHost(asker, listCall, { token }),
    getLocale(asker.request),
  ]);
  return addresses.map((address) => ({ ...address, countryName: countryName(address.country, locale) }));
}

/** One address of the account; 404 page for every other id. */
export async function getAddress(asker: Asker, id: string | undefined, token: string) {
  const address = (await listAddresses(asker, token)).find((one) => one.id === id);
  if (!address) throw data(null, { status: 404 });
  return address;
}

/** What the form of an address needs besides its values. */
export async function addressFormData(asker: Asker) {
  const [constraint, locale] = await Promise.all([addressConstraints(asker), getLocale(asker.request)]);
  return { constraint, countries: listCountries(locale), key: randomUUID() };
}

/** Adds an address, or changes the one with this id; the rules are the host's. */
export async function saveAddress(asker: Asker, token: string, id?: string) {
  const checked = checkForm(asker, await readForm(asker, FIELDS), AddressFields);
  if (!checked.ok) return invalid(checked.lastResult);
  const { key, ...body } = checked.value;
  return orRefuse(checked.reject, FIELDS, async () => {
    if (id === undefined) await callHost(asker, createAddress, { body: { ...body, key }, token });
    else await orNotFound(async () => callHost(asker, updateAddress, { params: { id }, body, token }));
    return redirectWithNotice(LIST, { type: 'success', key: id ? 'address_changed' : 'address_added' });
  });
}

/** Makes an address the default and leaves the rest of it as it is. */
export async function makeDefault(asker: Asker, token: string, form: FormData) {
  const address: Address = await getAddress(asker, String(form.get('id')), token);
  const body = { ...address, is_default: true };
  try {
    await orNotFound(async () => callHost(asker, updateAddress, { params: { id: address.id }, body, token }));
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    // It was kept under older rules: its own page says what is missing today.
    const notice = { type: 'warning', key: 'address_outdated', persistent: true } as const;
    return redirectWithNotice(`${LIST}/addresses/${address.id}`, notice);
  }
  return redirectWithNotice(LIST, { type: 'success', key: 'address_default' });
}

/** Deletes for good; an address that is already gone counts as deleted. */
export async function deleteAddress(asker: Asker, id: string | undefined, token: string) {
  try {
    await callHost(asker, deleteCall, { params: { id: id ?? '' }, token });
  } catch (thrown) {
    if (!(thrown instanceof HostError && thrown.status === 404)) throw thrown;
  }
  return redirectWithNotice(LIST, { type: 'success', key: 'billing_address_deleted' });
}

async function orNotFound<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.status === 404) throw data(null, { status: 404 });
    throw thrown;
  }
}
