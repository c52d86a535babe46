import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;
let accountId: string;

beforeAll(async () => {
  const countries = { find: (ip: string) => (ip === '81.2.69.142' ? 'GB' : ''), asOf: null };
  host = await createTestHost({
    countries,
    settings: { trustProxy: 'x-forwarded-for', countryHeader: 'cf-ipcountry' },
  });
  accountId = (await host.account()).id;
});

afterAll(() => host.close());

async function countryAfter(headers: Record<string, string>): Promise<string | undefined> {
  const { id, slug } = await host.code(accountId);
  await host.request(`/r/${slug}`, { headers });
  await host.recorder.idle();
  const [visit] = await host.db.query<{ country: string }>({
    name: '',
    text: 'select country from visits where code_id = $1',
    values: [id],
  });
  return visit?.country;
}

test('the country from the website or the proxy is stored with the visit', async () => {
  expect(await countryAfter({ 'x-client-country': 'fr' })).toBe('FR');
  expect(await countryAfter({ 'cf-ipcountry': 'IT' })).toBe('IT');
  expect(await countryAfter({ 'x-client-country': 'DE', 'cf-ipcountry': 'IT' })).toBe('DE');
});

test.each(['XX', 'T1', 'FRA', '', '1', "F'"])('%j is not a country', async (country) => {
  expect(await countryAfter({ 'x-client-country': country })).toBe('');
});

test('a country header that is not configured is ignored', async () => {
  expect(await countryAfter({ 'x-country': 'FR' })).toBe('');
});

test('a country that nobody names is that of the address', async () => {
  expect(await countryAfter({ 'x-forwarded-for': '81.2.69.142' })).toBe('GB');
  expect(await countryAfter({ 'x-client-ip': '81.2.69.142' })).toBe('GB');
  expect(await countryAfter({ 'x-forwarded-for': '203.0.113.7' })).toBe('');
});

test.each(['XX', 'T1', ''])('an address has no country if the proxy says %j', async (country) => {
  expect(await countryAfter({ 'x-forwarded-for': '81.2.69.142', 'cf-ipcountry': country })).toBe('');
});
