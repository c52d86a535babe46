import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Address } from '#contract/addresses';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, NON_OBJECT_BODIES, send } from '../../support/json-calls';

const PATH = '/api/account/billing-addresses';
const HOME = { street: '1 rue du Papier', city: 'Paris', postal_code: '75011', country: 'FR' };
const OFFICE = {
  ...HOME,
  professional: true,
  company_name: 'Carreau SAS',
  vat_number: 'fr 44 732 829 320',
  siret_number: '732 829 320 00074',
};

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  account = await host.account();
});
afterAll(() => host.close());

async function add(fields: Record<string, unknown> = {}) {
  host.clock.advance(1000);
  const { body } = await send(host, 'POST', PATH, { ...HOME, ...fields }, account);
  return body.data as Address;
}

async function list(of = account) {
  return (await send(host, 'GET', PATH, undefined, of)).body.data as Address[];
}

async function activityTypes() {
  const { body } = await send(host, 'GET', '/api/dashboard/overview', undefined, account);
  return (body.data as { recentActivities: { type: string }[] }).recentActivities.map(({ type }) => type);
}

test('the first address is the default, and a later one becomes it on request', async () => {
  const first = await add();
  expect(first).toMatchObject({ ...HOME, is_default: true, professional: false, vat_number: '' });
  const second = await add({ city: 'Lyon', postal_code: '69001' });
  expect(second.is_default).toBe(false);
  const third = await add({ city: 'Lille', postal_code: '59000', is_default: true });
  expect((await list()).map(({ id, is_default }) => [id, is_default])).toEqual([
    [third.id, true],
    [second.id, false],
    [first.id, false],
  ]);
  expect(await activityTypes()).toEqual(['account_set_default_billing_address']);
});

test('deleting the default makes the newest other address the default', async () => {
  const [first, second, third] = [await add(), await add(), await add()];
  const deleted = await send(host, 'DELETE', `${PATH}/${first.id}`, undefined, account);
  expect(deleted.body).toEqual({ status: 'success', message: 'billing_address_deleted' });
  expect((await list()).map(({ id, is_default }) => [id, is_default])).toEqual([
    [third.id, true],
    [second.id, false],
  ]);
  expect(await activityTypes()).toEqual(['account_deleted_billing_address']);
});

test('the default address stays the default when an update sends is_default as false', async () => {
  const [first, second] = [await add(), await add()];
  const changed = await send(
    host,
    'PUT',
    `${PATH}/${first.id}`,
    { ...HOME, city: 'Nice', is_default: false },
    account,
  );
  expect(changed.body.data).toMatchObject({ city: 'Nice', is_default: true });
  await send(host, 'PUT', `${PATH}/${second.id}`, { ...HOME, is_default: true }, account);
  expect((await list()).map(({ is_default }) => is_default)).toEqual([true, false]);
  expect((await list())[0]?.id).toBe(second.id);
});

test('numbers of a professional are stored without separators', async () => {
  expect(await add(OFFICE)).toMatchObject({
    company_name: 'Carreau SAS',
    vat_number: 'FR44732829320',
    siret_number: '73282932000074',
  });
});

test('a Greek VAT number is stored with the prefix that Greece uses', async () => {
  const greek = {
    ...OFFICE,
    country: 'gr',
    postal_code: '105 57',
    vat_number: 'GR 094259216',
    siret_number: '',
  };
  expect(await add(greek)).toMatchObject({ country: 'GR', vat_number: 'EL094259216', postal_code: '105 57' });
});

test('company fields of a private person are dropped', async () => {
  const entered = { ...OFFICE, professional: false, vat_number: 'nonsense', siret_number: '1' };
  expect(await add(entered)).toMatchObject({ company_name: '', vat_number: '', siret_number: '' });
});

test.each<[string, Record<string, unknown>, Record<string, string[]>]>([
  ['no company', { company_name: ' ' }, { company_name: ['company_name_required'] }],
  ['a wrong SIRET', { siret_number: '73282932000079' }, { siret_number: ['siret_number_invalid'] }],
  ['a wrong VAT number', { vat_number: 'FR40303265046' }, { vat_number: ['vat_number_invalid'] }],
  ['a VAT number of elsewhere', { vat_number: 'DE136695976' }, { vat_number: ['vat_number_country'] }],
  ['numbers of two businesses', { vat_number: 'FR40303265045' }, { vat_number: ['vat_number_siret_differ'] }],
  ['a code of another form', { postal_code: '1234' }, { postal_code: ['postal_code_invalid'] }],
  ['no code where one is needed', { postal_code: '' }, { postal_code: ['postal_code_required'] }],
  ['an unknown country', { country: 'ZZ' }, { country: ['country_unknown'] }],
  ['no country chosen', { country: ' ' }, { country: ['country_required'] }],
  ...[' ', undefined].map((country): [string, Record<string, unknown>, Record<string, string[]>] => [
    `neither a country (${country === undefined ? 'left out' : 'blank'}) nor a postcode`,
    { country, postal_code: ' ' },
    { country: ['country_required'], postal_code: ['postal_code_required'] },
  ]),
  ['a country by name', { country: 'France' }, { country: ['country_unknown'] }],
  ['a control character', { street: 'line\nbreak' }, { street: ['street_invalid'] }],
  ['a long region', { state_region: 'x'.repeat(101) }, { state_region: ['state_region_too_long'] }],
  [
    'several mistakes',
    { street: '', postal_code: '1', company_name: '', siret_number: '1', vat_number: 'FR1' },
    {
      street: ['street_required'],
      postal_code: ['postal_code_invalid'],
      company_name: ['company_name_required'],
      siret_number: ['siret_number_invalid'],
      vat_number: ['vat_number_invalid'],
    },
  ],
  ...['ZZ', 'Nowhere', ''].map((country): [string, Record<string, unknown>, Record<string, string[]>] => [
    `"${country}" for a country among other mistakes`,
    {
      country,
      street: '',
      city: '',
      postal_code: '#1',
      company_name: '',
      siret_number: '1',
      vat_number: 'FR1',
    },
    {
      street: ['street_required'],
      city: ['city_required'],
      country: [country ? 'country_unknown' : 'country_required'],
      postal_code: ['postal_code_invalid'],
      company_name: ['company_name_required'],
      siret_number: ['siret_number_invalid'],
      vat_number: ['vat_number_invalid'],
    },
  ]),
  [
    'no country and numbers of two businesses',
    { country: undefined, vat_number: 'FR40303265045' },
    { country: ['country_required'], vat_number: ['vat_number_siret_differ'] },
  ],
  [
    'a country that is no text, and no company',
    { country: 7, company_name: '' },
    { country: ['country_required'], company_name: ['company_name_required'] },
  ],
  ['a flag in words', { professional: 'yes' }, { professional: ['professional_invalid'] }],
])('an address with %s is refused and not stored', async (_, fields, errors) => {
  const refused = await send(host, 'POST', PATH, { ...OFFICE, ...fields }, account);
  expect([refused.status, refused.body.errors]).toEqual([422, errors]);
  expect(await list()).toEqual([]);
});

test.each(brokenBodies(HOME, ['street', 'city', 'country']))(
  'an address refuses %s that is %s',
  async (field, _, body) => {
    const refused = await send(host, 'POST', PATH, body, account);
    expect(refused.status).toBe(422);
    expect(Object.keys(refused.body.errors ?? {})).toEqual([field]);
  },
);

test.each(NON_OBJECT_BODIES)('an address refuses a body that is %s', async (_, text, status) => {
  expect((await send(host, 'POST', PATH, text, account)).status).toBe(status);
});

test('addresses of other accounts can be neither read nor changed', async () => {
  const own = await add();
  const thief = await host.account();
  expect(await list(thief)).toEqual([]);
  const stolen = { ...HOME, city: 'Stolen' };
  expect((await send(host, 'PUT', `${PATH}/${own.id}`, stolen, thief)).status).toBe(404);
  expect((await send(host, 'DELETE', `${PATH}/${own.id}`, undefined, thief)).status).toBe(404);
  expect(await list()).toEqual([own]);
});

test.each(['nonsense', '%00', '00000000-0000-4000-8000-000000000000'])(
  'the address %s is not found',
  async (id) => {
    expect((await send(host, 'PUT', `${PATH}/${id}`, HOME, account)).status).toBe(404);
    expect((await send(host, 'DELETE', `${PATH}/${id}`, undefined, account)).status).toBe(404);
  },
);

test('the request body cannot set the owner or the id of an address', async () => {
  const other = await host.account();
  const made = await add({ accountId: other.id, id: other.id, account_id: other.id });
  expect(made.id).not.toBe(other.id);
  expect(await list(other)).toEqual([]);
});

test('an account has at most fifty addresses', async () => {
  for (let turn = 0; turn < 50; turn += 1) await add();
  expect((await send(host, 'POST', PATH, HOME, account)).status).toBe(409);
});

test('after any concurrent or sequential changes, exactly one address is the default', async () => {
  const act = fc.record({
    kind: fc.constantFrom('add', 'addDefault', 'default', 'delete'),
    which: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 8 }), fc.boolean(), async (acts, atOnce) => {
      account = await host.account();
      await add();
      const before = await list();
      const run = ({ kind, which }: { kind: string; which: number }) => {
        const id = before[which % before.length]?.id;
        if (kind === 'delete') return send(host, 'DELETE', `${PATH}/${id}`, undefined, account);
        if (kind === 'default')
          return send(host, 'PUT', `${PATH}/${id}`, { ...HOME, is_default: true }, account);
        return send(host, 'POST', PATH, { ...HOME, is_default: kind === 'addDefault' }, account);
      };
      if (atOnce) await Promise.all(acts.map(run));
      else for (const one of acts) await run(one);
      const after = await list();
      expect(after.filter(({ is_default }) => is_default)).toHaveLength(Math.min(1, after.length));
    }),
    { numRuns: 25 },
  );
});
