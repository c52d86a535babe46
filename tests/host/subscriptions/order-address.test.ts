import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/store';
import { listAddresses } from '#host/addresses/store';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { buy, checkout, enterCard, onboard, placeOrder } from '../../support/ordering';

const PATH = '/api/account/billing-addresses';
const OFFICE = {
  address: '2 avenue du Carton',
  zip_code: '69002',
  city: 'Lyon',
  professional: true,
  company: 'Carreau SAS',
  siret: '73282932000074',
  vat_number: 'FR44732829320',
};

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

async function addressesOf(token: string) {
  return (await send(host, 'GET', PATH, undefined, { token })).body.data;
}

async function buySignedIn(token: string, fields: Record<string, unknown>) {
  const body = checkout(fields);
  const placed = await placeOrder(host, body, token);
  await enterCard(host, placed.redirectUrl, 'good', body.name);
}

test('the address of a first order is the first billing address of the new account', async () => {
  const { email } = await buy(host, OFFICE);
  expect(await addressesOf(await onboard(host, email))).toEqual([
    {
      id: expect.any(String),
      street: '2 avenue du Carton',
      postal_code: '69002',
      city: 'Lyon',
      state_region: '',
      country: 'FR',
      professional: true,
      is_default: true,
      company_name: 'Carreau SAS',
      siret_number: '73282932000074',
      vat_number: 'FR44732829320',
    },
  ]);
});

test('an account without an address gets the one of its order, which is exported and erased', async () => {
  const account = await host.account({ access: false });
  await buySignedIn(account.token, { company: 'Dropped Ltd' });
  expect(await addressesOf(account.token)).toMatchObject([
    { street: '1 rue du Papier', professional: false, company_name: '', is_default: true },
  ]);
  const exported = await send(host, 'GET', '/api/account/export', undefined, account);
  expect(exported.body.data).toMatchObject({ addresses: [{ street: '1 rue du Papier' }] });
  await send(host, 'DELETE', '/api/account', { password: account.password }, account);
  expect(await listAddresses(host.db.orm, account.id)).toEqual([]);
});

test('an order does not change existing addresses or add one to them', async () => {
  const account = await host.account({ access: false });
  const home = { street: '3 quai du Fil', city: 'Nantes', postal_code: '44000', country: 'FR' };
  await send(host, 'POST', PATH, home, account);
  const before = await addressesOf(account.token);
  await buySignedIn(account.token, OFFICE);
  expect(await addressesOf(account.token)).toEqual(before);
});

test('an order whose payment failed stores no address; the next successful one does', async () => {
  const typo = checkout({ trial: false, address: '1 rue du Papeir' });
  const failed = await placeOrder(host, typo);
  await enterCard(host, failed.redirectUrl, 'neverAgain', typo.name);
  await host.runBilling();
  const account = await findAccountByEmail(host.db.orm, typo.email);
  expect(await listAddresses(host.db.orm, account?.id ?? '')).toEqual([]);
  const body = checkout({ trial: false, email: typo.email, name: typo.name });
  const paid = await placeOrder(host, body);
  await enterCard(host, paid.redirectUrl, 'good', typo.name);
  await host.runBilling();
  expect(await listAddresses(host.db.orm, account?.id ?? '')).toMatchObject([
    { street: '1 rue du Papier', isDefault: true },
  ]);
});
