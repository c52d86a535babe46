import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestHost } from '../../support/host';
import { asWebsite } from '../../support/internal-key';
import { readCode } from './stored-visits';

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';
let host: TestHost;
let accountId: string;

beforeAll(async () => {
  host = await createTestHost({ settings: { countryHeader: 'cf-ipcountry', trustProxy: 'x-forwarded-for' } });
  accountId = (await host.account()).id;
});
afterAll(() => host.close());

/** Visits from outside, unless they name one of our programs. */
async function visitWith(code: { slug: string }, ...visits: Record<string, string>[]): Promise<void> {
  for (const headers of visits)
    await host.app.request(`/r/${code.slug}`, { headers: { 'user-agent': PHONE, ...headers } });
  await host.recorder.idle();
}

async function visitorsOf(...visits: Record<string, string>[]): Promise<number> {
  const code = await host.code(accountId);
  await visitWith(code, ...visits);
  const { visitors } = await readCode(host.db, code.id);
  return visitors.reduce((sum, { count }) => sum + count, 0);
}

test('of several forwarded addresses the last one, which the proxy wrote, is the visitor’s', async () => {
  const through = (list: string) => ({ 'x-forwarded-for': list });
  expect(await visitorsOf(through('203.0.113.1, 198.51.100.7'), through('203.0.113.2,198.51.100.7'))).toBe(1);
  expect(await visitorsOf(through('203.0.113.1, 198.51.100.7'), through('203.0.113.1, 198.51.100.8'))).toBe(
    2,
  );
  // What is no address is not a visitor's own.
  expect(await visitorsOf(through('198.51.100.7, you'), through('198.51.100.8, me'), {})).toBe(1);
});

test('a client IP from outside is ignored, one from our programs is not', async () => {
  const named = (address: string) => ({ 'x-client-ip': address });
  expect(await visitorsOf(named('203.0.113.1'), named('203.0.113.2'), {})).toBe(1);
  const ours = (address: string) => ({ ...asWebsite, ...named(address) });
  expect(await visitorsOf(ours('203.0.113.1'), ours('203.0.113.2'))).toBe(2);
  const forwarded = { 'x-forwarded-for': '203.0.113.9' };
  expect(await visitorsOf({ ...ours('203.0.113.1'), ...forwarded }, ours('203.0.113.1'))).toBe(1);
});

test.each<[Record<string, string>, string]>([
  [{ 'x-client-country': 'FR' }, ''],
  [{ 'x-client-country': 'FR', 'x-internal-key': 'a guess' }, ''],
  [{ 'x-client-country': 'FR', 'cf-ipcountry': 'IT' }, 'IT'],
  [{ ...asWebsite, 'x-client-country': 'FR', 'cf-ipcountry': 'IT' }, 'FR'],
  [{ ...asWebsite, 'x-client-country': ' fr ' }, 'FR'],
  [{ 'cf-ipcountry': 'FR, DE' }, ''],
])('the country of a visit with %j is %j', async (headers, country) => {
  const { id, slug } = await host.code(accountId);
  await visitWith({ slug }, headers);
  const text = 'select country, language from visits where code_id = $1';
  expect(await host.db.query({ name: '', text, values: [id] })).toEqual([{ country, language: '' }]);
});

test.each([
  ['fr;q=0.1, iw-IL;q=0.9, en;q=0.8', 'he'],
  ['en_US', 'en'],
  ['*, fil-PH;q=0.5', 'fil'],
  ['de;q=0', ''],
])('the language of a visit with %j is %j, in the figures too', async (header, language) => {
  const { id, slug } = await host.code(accountId);
  await visitWith({ slug }, { 'accept-language': header });
  for (const table of ['visits', 'visit_hours']) {
    const text = `select language from ${table} where code_id = $1`;
    expect(await host.db.query({ name: '', text, values: [id] })).toEqual([{ language }]);
  }
});

test.each([
  ['sec-purpose', 'prefetch;prerender', 0],
  ['purpose', 'prefetch', 0],
  ['x-purpose', 'preview', 0],
  ['x-moz', 'prefetch', 0],
  ['sec-purpose', '', 1],
  ['sec-fetch-site', 'same-site', 1],
])('a visit with %s: %j counts %i times', async (name, value, count) => {
  const code = await host.code(accountId);
  await visitWith(code, { [name]: value });
  expect((await readCode(host.db, code.id)).raw.reduce((sum, row) => sum + row.count, 0)).toBe(count);
});

test('the first header that a browser marks a visit with decides', async () => {
  const code = await host.code(accountId);
  await visitWith(code, { 'sec-purpose': 'none', purpose: 'prefetch' });
  expect((await readCode(host.db, code.id)).totals).toEqual([{ scans: 1, clicks: 0, others: 0 }]);
});
