import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const ADDRESS = '203.0.113.7';
let host: TestHost;
let owner: TestAccount;
let lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  host = await createTestHost({ log });
  owner = await host.account();
});
beforeEach(() => {
  host.clock.advance(60_000);
  lines = [];
});
afterAll(() => host.close());

const privateCode = () => host.code(owner.id, { visibility: 'private' });
const visit = (path: string, token?: string) =>
  host.request(path, {
    headers: { 'x-client-ip': ADDRESS, 'x-request-id': 'visit-of-the-test' },
    ...(token !== undefined && { token }),
  });
const refused = () => lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === 'access_refused');

test.each([
  ['r', 'visitByScan'],
  ['l', 'visitByLink'],
])('a refused visit to a private code at /%s is logged, without an IP address', async (path, call) => {
  const { slug } = await privateCode();
  await visit(`/${path}/${slug}`);
  expect(refused()).toMatchObject([
    { reason: 'code_private', call, requested: { code: slug }, requestId: 'visit-of-the-test' },
  ]);
  expect(lines.join()).not.toContain(ADDRESS);
  expect(Object.keys(refused()[0])).not.toContain('account');
});

test.each([
  ['GET', 'e/{code}/write', 'followAction'],
  ['POST', 'e/{code}/copy', 'reportCopy'],
  ['GET', 'b/{code}', 'reportByImage'],
  ['POST', 'b/{code}', 'reportByPost'],
])('a refused %s /%s of a private code is logged likewise', async (method, path, call) => {
  const { slug } = await privateCode();
  await host.request(`/${path.replace('{code}', slug)}`, {
    method,
    headers: { accept: 'application/json', 'x-client-ip': ADDRESS },
  });
  expect(refused()).toMatchObject([{ reason: 'code_private', call, requested: { code: slug } }]);
  expect(lines.join()).not.toContain(ADDRESS);
});

test('it is logged with the account of a visitor who is signed in', async () => {
  const { slug } = await privateCode();
  const other = await host.account();
  await visit(`/r/${slug}`, other.token);
  expect(refused()).toMatchObject([{ requested: { code: slug }, account: other.id }]);
});

test('visits of the owner, and to public, deleted and unknown codes are not logged', async () => {
  const [mine, open] = [await privateCode(), await host.code(owner.id)];
  const gone = await host.code(owner.id, { visibility: 'private', deletedAt: host.clock.now() });
  await visit(`/r/${mine.slug}`, owner.token);
  for (const slug of [open.slug, gone.slug, 'ZZZZZZZZ']) await visit(`/r/${slug}`);
  expect(refused()).toEqual([]);
});

test('there is one line per code and minute, and there are 60 a minute at most', async () => {
  const [first, ...others] = await Promise.all(Array.from({ length: 70 }, privateCode));
  for (let i = 0; i < 5; i++) await visit(`/r/${first?.slug}`);
  expect(refused()).toHaveLength(1);
  for (const { slug } of others) await visit(`/l/${slug}`);
  expect(refused()).toHaveLength(60);
  host.clock.advance(59_999);
  await visit(`/r/${first?.slug}`);
  expect(refused()).toHaveLength(60);
  host.clock.advance(1);
  await visit(`/r/${first?.slug}`);
  expect(refused()).toHaveLength(61);
});
