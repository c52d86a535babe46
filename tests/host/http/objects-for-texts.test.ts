import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

/** Objects that throw when they are used as a string or a number. */
const TRAPS: unknown[] = [
  { toString: 1 },
  { length: { toString: 1 } },
  { length: 3, toString: null, valueOf: null },
  [{ toString: 1 }],
];
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

test.each([
  ['POST', '/api/login_check', ['email', 'password', 'captcha']],
  [
    'POST',
    '/api/account/billing-addresses',
    ['country', 'postal_code', 'street', 'vat_number', 'siret_number', 'key'],
  ],
  ['POST', '/api/subscriptions', ['email', 'country', 'plan', 'postal_code', 'key']],
  ['POST', '/api/tickets', ['email', 'message', 'subject', 'firstname']],
  ['POST', '/api/google_login', ['idToken', 'nonce', 'remember']],
])('%s %s refuses objects in place of strings, naming the fields', async (method, path, fields) => {
  for (const trap of TRAPS) {
    for (const field of fields) {
      const sent = await send(
        host,
        method,
        path,
        { professional: true, [field]: trap },
        { token: account.token },
      );
      expect([field, sent.status]).toEqual([field, 422]);
    }
    const all = Object.fromEntries(fields.map((field) => [field, trap]));
    expect((await send(host, method, path, all, { token: account.token })).status).toBe(422);
  }
});

test.each(['constructor', 'toString', '__proto__'])('a refused field may be called %s', async (name) => {
  const { id } = await host.code(account.id);
  const body = `{"campaign":{"${name}":{}}}`;
  const response = await host.request(`/api/qrcodes/${id}`, {
    method: 'PATCH',
    token: account.token,
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBeLessThan(500);
  if (name !== '__proto__')
    expect(await response.json()).toMatchObject({ code: 'invalid', errors: { [name]: ['invalid'] } });
});
