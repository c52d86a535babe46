import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

const ADDRESS = '203.0.113.7';
let host: TestHost;
let account: TestAccount;
let lines: string[] = [];

beforeAll(async () => {
  host = await createTestHost({
    log: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
  });
});
beforeEach(async () => {
  account = await host.account();
  lines = [];
});
afterAll(() => host.close());

const ask = (path: string, token?: string, method = 'GET', body?: object) =>
  host.request(path, {
    method,
    headers: { 'x-client-ip': ADDRESS, 'x-request-id': 'request-of-the-test' },
    ...(token !== undefined && { token }),
    ...(body && { body: JSON.stringify(body) }),
  });

function refused() {
  return lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === 'access_refused');
}

test('a token of an ended session is logged with its account', async () => {
  await ask('/api/account/logout', account.token, 'POST');
  await ask('/api/account/profile', account.token);
  expect(refused()).toMatchObject([
    {
      reason: 'unauthenticated',
      call: 'getProfile',
      account: account.id,
      session: expect.stringMatching(/^[\da-f-]{36}$/),
      clientIp: ADDRESS,
      requestId: 'request-of-the-test',
    },
  ]);
});

test.each([
  ['no token', undefined],
  ['an invalid token', 'not-a-token'],
])('a call with %s is logged without an account', async (_, token) => {
  await ask('/api/account/profile', token);
  expect(refused()).toMatchObject([{ reason: 'unauthenticated', call: 'getProfile', clientIp: ADDRESS }]);
  expect(Object.keys(refused()[0])).not.toContain('account');
});

test("a request for somebody else's code is logged with the account and the requested id", async () => {
  const theirs = await host.code((await host.account()).id);
  await ask(`/api/qrcodes/${theirs.id}`, account.token);
  await ask('/api/qrcodes/stats', account.token, 'POST', { code: theirs.id });
  await ask(`/api/qrcodes/stats/stream?code=${theirs.id}`, account.token);
  expect(refused()).toMatchObject([
    { reason: 'not_found', call: 'getCode', account: account.id, requested: { id: theirs.id } },
    { reason: 'not_found', call: 'getStatistics', account: account.id, requested: { code: theirs.id } },
    { reason: 'not_found', call: 'streamStatistics', account: account.id, requested: { code: theirs.id } },
  ]);
});

test('a call without a subscription is logged', async () => {
  const lapsed = await host.account({ access: false });
  await ask('/api/qrcodes/stats', lapsed.token, 'POST', {});
  expect(refused()).toMatchObject([{ reason: 'subscription_required', account: lapsed.id }]);
});

test('permitted and public calls are not logged', async () => {
  const mine = await host.code(account.id);
  await ask(`/api/qrcodes/${mine.id}`, account.token);
  await ask(`/api/plans/${randomUUID()}`);
  await ask('/api/account/email-change', account.token, 'DELETE');
  expect(refused()).toEqual([]);
});

test('no line contains a token, and overlong ids are cut', async () => {
  const [, payload = ''] = account.token.split('.');
  await ask('/api/account/profile', `${account.token}x`);
  await ask(`/api/qrcodes/${'x'.repeat(3_000)}`, account.token);
  expect(refused()).toHaveLength(2);
  expect(JSON.stringify(refused())).not.toContain(payload);
  expect(refused()[1]?.requested.id).toHaveLength(100);
});

test.each([
  ['/metrics', '/metrics', 'no_metrics_token', 'GET', { 'x-forwarded-for': ADDRESS }],
  ['/mailbox', '/mailbox', 'cross_site', 'GET', { origin: 'https://evil.example' }],
  ['/sandbox/pay/secret', '/sandbox/pay/:id', 'cross_site', 'POST', { origin: 'https://evil.example' }],
])('a refused request to %s is logged as %s', async (path, call, reason, method, headers) => {
  const answer = await host.request(path, { method, headers: { 'x-client-ip': ADDRESS, ...headers } });
  expect([403, 404]).toContain(answer.status);
  expect(refused()).toMatchObject([{ call, reason, clientIp: ADDRESS }]);
  expect(JSON.stringify(refused())).not.toContain('pay/secret');
});
