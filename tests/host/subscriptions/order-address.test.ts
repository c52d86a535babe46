import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAccountByEmail } from '#host/accounts/store';
import { listAddresses } from '#host/addresses/store';
import { invoices } from '#host/db/invoices.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { advance, buy, checkout, enterCard, onboard, placeOrder } from '../../support/ordering';

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

test('the address of an order becomes the default one, without being saved twice', async () => {
  const account = await host.account({ access: false });
  const home = { street: '3 quai du Fil', city: 'Nantes', postal_code: '44000', country: 'FR' };
  const office = { street: OFFICE.address, company_name: OFFICE.company };
  await send(host, 'POST', PATH, home, account);
  await buySignedIn(account.token, OFFICE);
  const saved = await addressesOf(account.token);
  expect(saved).toMatchObject([
    { ...office, is_default: true },
    { ...home, is_default: false },
  ]);
  const declared = { name: 'Ada Byron', email: account.email, confirmed: true };
  await send(host, 'POST', '/api/contract/withdraw', declared, account);
  await host.runBilling();
  await buySignedIn(account.token, { ...OFFICE, trial: false });
  expect(await addressesOf(account.token)).toEqual(saved);
});

const BERLIN = {
  country: 'DE',
  zip_code: '10115',
  city: 'Berlin',
  professional: true,
  company: 'Tinte und Papier',
  vat_number: 'DE136695976',
};
const FABER = { company: 'Faber', street: 'Neuer Weg 2', city: 'Köln', postalCode: '50667', country: 'DE' };
const QUILL = {
  company: 'Plume SARL',
  street: '4 rue du Quai',
  city: 'Lyon',
  postalCode: '69002',
  country: 'FR',
};

test.for([
  ['a company in the same country', {}, { ...QUILL, professional: true, vatNumber: '', siret: '' }, true],
  ['another country with the same VAT', {}, { ...FABER, company: '', professional: false }, true],
  [
    'a country without French VAT',
    {},
    { ...FABER, company: '', professional: false, country: 'CH', postalCode: '8001' },
    false,
  ],
  [
    'a business with the same VAT number',
    BERLIN,
    { ...FABER, professional: true, vatNumber: BERLIN.vat_number },
    true,
  ],
  [
    'a business with another VAT number',
    BERLIN,
    { ...FABER, professional: true, vatNumber: 'DE129273398' },
    false,
  ],
] as const)(
  'the next invoice names a new default address if it changes no VAT: %s',
  async ([_, fields, changed, isNamed]) => {
    const bought = await buy(host, fields);
    const token = await onboard(host, bought.email);
    const [before] = await listAddresses(host.db.orm, bought.accountId);
    const { street, city, country, professional } = changed;
    const body = {
      street,
      city,
      country,
      professional,
      postal_code: changed.postalCode,
      company_name: changed.company,
      ...('vatNumber' in changed && { vat_number: changed.vatNumber }),
    };
    expect((await send(host, 'PUT', `${PATH}/${before?.id}`, body, { token })).status).toBe(200);
    await advance(host, '49h');
    const [invoice] = await host.db.orm
      .select()
      .from(invoices)
      .where(eq(invoices.accountId, bought.accountId));
    const ordered = { street: bought.body.address, country: 'FR', ...fields };
    expect(invoice?.buyer).toMatchObject(
      isNamed ? changed : { street: ordered.street, country: ordered.country },
    );
    expect(invoice?.buyer).toMatchObject({ name: bought.body.name });
  },
);

test('an order that is paid at once is invoiced to the address typed into it', async () => {
  const account = await host.account({ access: false });
  const home = { street: '3 quai du Fil', city: 'Nantes', postal_code: '44000', country: 'FR' };
  await send(host, 'POST', PATH, home, account);
  await buySignedIn(account.token, { ...OFFICE, trial: false });
  const [invoice] = await host.db.orm.select().from(invoices).where(eq(invoices.accountId, account.id));
  expect(invoice?.buyer).toMatchObject({ company: OFFICE.company, street: OFFICE.address });
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
