import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Connector, createConnector, ISSUER, REDIRECT } from '../../support/connector';
import { createTestHost, type TestHost } from '../../support/host';

const HOUR = 60 * 60_000;

let host: TestHost;
let connector: Connector;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(() => {
  host.clock.advance(HOUR);
  connector = createConnector(host);
});
afterAll(() => host.close());

const registered = async () => {
  const { client_id } = (await connector.register()).clientMetadata();
  return connector.discover(client_id);
};

test.each(['admin', 'read admin', 'READ', 'openid', 'openid offline_access', 'réad'])(
  'a program that asks for the scope %j learns that there is none',
  async (scope) => {
    const { location } = await connector.begin(await registered(), { scope });
    const callback = new URL(location, ISSUER);
    expect(callback.origin + callback.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(callback.searchParams)).toMatchObject({
      error: 'invalid_scope',
      error_description: expect.any(String),
      state: 'a state',
      iss: ISSUER,
    });
  },
);

test.each(['', 'change', 'read openid offline_access', 'change  read'])(
  'the scope %j leads to the user',
  async (scope) => {
    expect((await connector.begin(await registered(), { scope })).request).not.toBe('');
  },
);

test('an unknown scope sends nobody to an address that is not registered', async () => {
  const wrong = { scope: 'admin', redirect_uri: 'https://evil.example/callback' };
  const { location } = await connector.begin(await registered(), wrong);
  expect(location).toBe('/user/authorize/refused?error=invalid_redirect_uri');
});

const FORM = 'application/x-www-form-urlencoded';

test.each<[string, string, string, { body?: string; type?: string }, number, string]>([
  ['JSON that is none', 'POST', 'register', { body: '{', type: 'application/json' }, 400, 'invalid_request'],
  [
    'a client without addresses',
    'POST',
    'register',
    { body: '{}', type: 'application/json' },
    400,
    'invalid_redirect_uri',
  ],
  ['a body that is too large', 'POST', 'token', { body: 'x'.repeat(64 * 1024 + 1) }, 413, 'invalid_request'],
  ['another type', 'POST', 'token', { body: '{}', type: 'application/json' }, 400, 'invalid_request'],
  ['what no database can keep', 'POST', 'token', { body: 'client_id=a%00' }, 400, 'invalid_request'],
  ['what no database can keep', 'POST', 'revoke', { body: 'token=a%00&client_id=b' }, 400, 'invalid_request'],
  [
    'an unknown client',
    'POST',
    'token',
    { body: 'client_id=nobody&grant_type=refresh_token' },
    401,
    'invalid_client',
  ],
  ['nothing', 'POST', 'token', {}, 400, 'invalid_request'],
  ['a method that is not there', 'GET', 'token', {}, 405, 'invalid_request'],
  ['a method that is not there', 'DELETE', 'revoke', {}, 405, 'invalid_request'],
  ['a method that is not there', 'GET', 'register', {}, 405, 'invalid_request'],
  ['a method that is not there', 'POST', 'authorize', {}, 405, 'invalid_request'],
])('%s: %s /oauth/%s is refused as clients read it', async (_, method, path, sent, status, error) => {
  const headers = { 'content-type': sent.type ?? FORM };
  const answer = await host.request(`/oauth/${path}`, { method, headers, body: sent.body ?? null });
  expect([answer.status, await answer.json()]).toEqual([
    status,
    { error, error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/) },
  ]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const allowed = path === 'authorize' ? 'GET' : 'POST';
  expect(answer.headers.get('allow')).toBe(status === 405 ? allowed : null);
});

test('too many requests are refused as clients read it, with the time to wait', async () => {
  const headers = { 'content-type': 'application/json', 'x-client-ip': '203.0.113.9' };
  const body = JSON.stringify({ redirect_uris: [REDIRECT] });
  let answer = await host.request('/oauth/register', { method: 'POST', headers, body });
  for (let count = 0; count < 100; count += 1)
    answer = await host.request('/oauth/register', { method: 'POST', headers, body });
  expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(await answer.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: expect.any(String),
  });
});
