import { afterAll, beforeAll, expect, test } from 'vitest';
import { orders } from '#host/db/subscriptions.tables';
import { createTestHost, type TestHost } from '../../support/host';
import { brokenBodies, NON_OBJECT_BODIES, send } from '../../support/json-calls';
import { checkout } from '../../support/ordering';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

test.each(brokenBodies(checkout(), ['slug', 'name', 'email', 'address', 'city', 'country']))(
  'an order whose %s is %s is refused and not stored',
  async (field, _, body) => {
    const before = await host.db.orm.select().from(orders);
    const answered = await send(host, 'POST', '/api/subscriptions', body);
    expect(answered.status).toBe(422);
    expect(Object.keys(answered.body.errors ?? {})).toContain(field);
    expect(await host.db.orm.select().from(orders)).toHaveLength(before.length);
  },
);

test.each(NON_OBJECT_BODIES)('a body that is %s is refused', async (_, text, status) => {
  expect((await send(host, 'POST', '/api/subscriptions', text)).status).toBe(status);
});

test.each([
  ['terms', false, 'terms_required'],
  ['terms', 'true', 'terms_required'],
  ['waiver', null, 'waiver_required'],
  ['zip_code', '7501', 'zip_code_invalid'],
  ['zip_code', '', 'zip_code_required'],
  ['country', 'XX', 'country_unknown'],
  ['key', 'a null byte \u0000', 'invalid'],
])('%s as %j is refused with %s', async (field, value, code) => {
  const answered = await send(host, 'POST', '/api/subscriptions', checkout({ [field]: value }));
  expect(answered.status).toBe(422);
  expect(answered.body.errors?.[field]).toEqual([code]);
});

test.each([
  [{ professional: true }, 'company', 'company_required'],
  [{ professional: true, company: 'C', siret: '73282932000079' }, 'siret', 'siret_invalid'],
  [{ professional: true, company: 'C', vat_number: 'FR40303265046' }, 'vat_number', 'vat_number_invalid'],
  [{ professional: true, company: 'C', vat_number: 'DE136695976' }, 'vat_number', 'vat_number_country'],
  [
    { professional: true, company: 'C', siret: '55208131766522', vat_number: 'FR44732829320' },
    'vat_number',
    'vat_number_siret_differ',
  ],
])('a professional with %j is refused on %s', async (fields, field, code) => {
  const answered = await send(host, 'POST', '/api/subscriptions', checkout(fields));
  expect(answered.body.errors?.[field]).toEqual([code]);
});

test('all errors are returned at once, including those across fields', async () => {
  const wrong = { name: '', email: '', address: '', city: '', country: 'FR', zip_code: '1', terms: false };
  const numbers = { professional: true, company: '', siret: '1', vat_number: 'FR1' };
  const answered = await send(host, 'POST', '/api/subscriptions', checkout({ ...wrong, ...numbers }));
  const named = Object.keys({ ...wrong, company: '', siret: '', vat_number: '' });
  expect(Object.keys(answered.body.errors ?? {}).sort()).toEqual(
    named.filter((field) => field !== 'country').sort(),
  );
  const nowhere = { country: '', professional: true, company: '' };
  const second = await send(host, 'POST', '/api/subscriptions', checkout(nowhere));
  expect(second.body.errors).toEqual({ country: ['country_required'], company: ['company_required'] });
});
