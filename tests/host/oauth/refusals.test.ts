import * as oauth from 'openid-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PublicResponse } from '#host/http/public-request';
import { PublicRequestError } from '#host/http/public-request';
import { API, type Connector, createConnector, ISSUER, REDIRECT } from '../../support/connector';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** A client that describes itself at an address. */
const DESCRIBED = 'https://described.example/clients/assistant.json';

let host: TestHost;
let account: TestAccount;
let connector: Connector;
let asked: string[] = [];
let respond: (address: string) => PublicResponse | undefined;

beforeAll(async () => {
  host = await createTestHost({
    requestPublic: async (address) => {
      asked.push(address);
      const response = respond(address);
      if (!response) throw new PublicRequestError('refused');
      return response;
    },
  });
});
beforeEach(async () => {
  host.clock.advance(HOUR);
  asked = [];
  respond = () => undefined;
  account = await host.account();
  connector = createConnector(host);
});
afterAll(() => host.close());

const statusWith = async (token: string) => (await host.request('/api/v1/tags', { token })).status;
const registered = async (metadata: object = {}) => {
  const { client_id } = (await connector.register(metadata)).clientMetadata();
  return connector.discover(client_id);
};
const grants = async () =>
  (await send(host, 'GET', '/api/account/keys', undefined, { token: account.token })).body.data as object[];
const post = (path: string, fields: Record<string, string>) =>
  host.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

test.each([
  ['no challenge', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['an unknown resource', { resource: 'https://elsewhere.example/api' }, 'invalid_target'],
  ['a resource below one of ours', { resource: `${API}/codes` }, 'invalid_target'],
  ['an implicit response', { response_type: 'token' }, 'unsupported_response_type'],
  ['no page for the user', { prompt: 'none' }, 'consent_required'],
])('a request with %s is sent back to the program', async (_, parameters, error) => {
  const { location } = await connector.begin(await registered(), parameters);
  const callback = new URL(location);
  expect(callback.origin + callback.pathname).toBe(REDIRECT);
  expect(
    Object.fromEntries(
      callback.searchParams.size ? callback.searchParams : new URLSearchParams(callback.hash.slice(1)),
    ),
  ).toMatchObject({
    error,
    iss: ISSUER,
    state: 'a state',
  });
});

test('a request without a resource, or with two, is sent back to the program', async () => {
  const config = await registered();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: 'read',
    code_challenge: await oauth.calculatePKCECodeChallenge(oauth.randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
  });
  const errorOf = async (query: string) => {
    const location = (await connector.open(`/oauth/authorize${query}`)).headers.get('location') ?? '';
    return new URL(location, ISSUER).searchParams.get('error');
  };
  expect(await errorOf(url.search)).toBe('invalid_target');
  const both = `&resource=${encodeURIComponent(API)}&resource=${encodeURIComponent(`${ISSUER}/mcp`)}`;
  expect(await errorOf(url.search + both)).toBe('invalid_target');
});

test.each([
  'https://evil.example/callback',
  `${REDIRECT}/`,
  `${REDIRECT}?next=https://evil.example`,
  `${REDIRECT}/../../evil`,
  'https://assistant.example.evil.example/callback',
  'https://assistant.example@evil.example/callback',
  'http://assistant.example/callback',
  '//evil.example/callback',
  'javascript:alert(1)',
  '',
])('no browser is sent to %j, which is not registered', async (redirect_uri) => {
  const { location } = await connector.begin(await registered(), { redirect_uri });
  expect(location).toMatch(/^\/user\/authorize\/refused\?error=(?:invalid_redirect_uri|invalid_request)$/);
});

test('what no database can keep is refused', async () => {
  const { location } = await connector.begin(await registered(), { state: 'a\u0000' });
  expect(location).toBe('/user/authorize/refused?error=invalid_request');
});

test('an unknown client is told to its user only', async () => {
  const { location } = await connector.begin(await connector.discover('nobody'));
  expect(location).toBe('/user/authorize/refused?error=invalid_client');
});

test.each([
  ['plain http', ['http://assistant.example/callback']],
  ['a script', ['javascript:alert(1)']],
  ['data', ['data:text/html,x']],
  ['a fragment', [`${REDIRECT}#here`]],
  ['none', []],
  ['too many', Array.from({ length: 21 }, (_, at) => `${REDIRECT}/${at}`)],
  ['no addresses', ['callback']],
  ['what no database can keep', [`${REDIRECT}?\u0000`]],
])('no client is registered with %s as its addresses', async (_, redirect_uris) => {
  const body = JSON.stringify({ redirect_uris });
  const headers = { 'content-type': 'application/json' };
  const response = await host.request('/oauth/register', { method: 'POST', headers, body });
  expect(response.status).toBe(400);
  expect((await response.json()).error).toMatch(/^invalid_(?:redirect_uri|client_metadata|request)$/);
});

test('a program on the device of the user may listen on any port', async () => {
  const config = await registered({ redirect_uris: ['http://127.0.0.1/callback'], client_name: '' });
  const { request } = await connector.begin(config, { redirect_uri: 'http://127.0.0.1:51234/callback' });
  expect((await connector.show(account, request)).body.data).toMatchObject({
    client: { name: 'http:', host: null },
    answersTo: null,
  });
});

test('of what a client says about itself only its name and addresses are kept, and it never gets a secret', async () => {
  const made = (
    await connector.register({
      client_name: `Bank\u202e of\u0000 Ada ${'x'.repeat(100)}`,
      logo_uri: 'https://evil.example/logo.png',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['client_credentials', 'password', 'implicit'],
      response_types: ['token'],
    })
  ).clientMetadata();
  expect(made).toMatchObject({
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  });
  for (const name of ['client_secret', 'logo_uri', 'registration_access_token'])
    expect(made).not.toHaveProperty(name);
  const { request } = await connector.begin(await connector.discover(made.client_id));
  const { name } = (await connector.show(account, request)).body.data.client;
  expect(name).toMatch(/^Bank of Ada x+$/);
  expect(name.length).toBeLessThanOrEqual(60);
});

test('an address registers a hundred clients a day, and one that is not used ends after a week', async () => {
  const body = JSON.stringify({ redirect_uris: [REDIRECT] });
  const headers = { 'content-type': 'application/json', 'x-client-ip': '203.0.113.7' };
  const statuses: number[] = [];
  for (let count = 0; count < 101; count += 1)
    statuses.push((await host.request('/oauth/register', { method: 'POST', headers, body })).status);
  expect(statuses).toEqual([...Array(100).fill(201), 429]);

  const [unused, used] = [await registered(), await connector.connect(account)];
  host.clock.advance(7 * DAY);
  expect((await connector.begin(unused)).location).toMatch(/invalid_client$/);
  expect((await connector.begin(used.config)).request).not.toBe('');
});

test('only the browser that began a request gets to answer it', async () => {
  const { request } = await connector.begin(await registered());
  const other = createConnector(host);
  expect((await other.show(account, request)).status).toBe(404);
  expect((await other.answer(account, request)).status).toBe(404);
  const { request: own } = await other.begin(await registered());
  expect((await connector.show(account, own)).status).toBe(404);
  expect((await connector.show(account, request)).status).toBe(200);
  const { body } = await connector.answer(account, request);
  expect((await other.returned(body.data.returnTo)).pathname).toBe('/user/authorize/refused');
  expect((await host.request(`/api/authorization?request=${request}&proof=x`)).status).toBe(401);
});

test('an answer counts once', async () => {
  const { request } = await connector.begin(await registered());
  const answers = await Promise.all([connector.answer(account, request), connector.answer(account, request)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  await connector.answer(account, request, { allow: false });
  expect(await grants()).toHaveLength(1);
  expect((await connector.show(account, request)).body.data.returnTo).toMatch(/^\/oauth\/authorize\//);
});

test('a request ends after an hour', async () => {
  const { request } = await connector.begin(await registered());
  host.clock.advance(HOUR);
  expect((await connector.show(account, request)).status).toBe(404);
  expect((await connector.answer(account, request)).status).toBe(404);
});

test('an account has at most 50 connected programs', async () => {
  const config = await registered();
  for (let count = 0; count < 50; count += 1) {
    const { request } = await connector.begin(config);
    expect((await connector.answer(account, request)).status).toBe(200);
  }
  const { request } = await connector.begin(config);
  expect((await connector.answer(account, request)).status).toBe(409);
  // Those whose tokens were never fetched are gone after an hour.
  host.clock.advance(HOUR);
  const next = await connector.begin(config);
  expect((await connector.answer(account, next.request)).status).toBe(200);
});

test('a code that comes twice ends what it gave', async () => {
  const { config, callback, verifier, tokens } = await connector.connect(account);
  const checks = { pkceCodeVerifier: verifier, expectedState: 'a state' };
  await expect(oauth.authorizationCodeGrant(config, callback, checks)).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  expect(await statusWith(tokens.access_token)).toBe(401);
  expect(await grants()).toEqual([]);
});

test.each([
  ['another verifier', { code_verifier: 'x'.repeat(43) }],
  ['no verifier', { code_verifier: '' }],
  ['another address', { redirect_uri: 'https://evil.example/callback' }],
  ['another resource', { resource: `${ISSUER}/mcp` }],
  ['an unknown client', { client_id: 'nobody' }],
])('a code with %s gives nothing', async (_, wrong) => {
  const config = await registered();
  const { verifier, request } = await connector.begin(config);
  const { body } = await connector.answer(account, request);
  const code = (await connector.returned(body.data.returnTo)).searchParams.get('code') ?? '';
  const { client_id } = config.clientMetadata();
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id };
  const response = await post('/oauth/token', { ...fields, redirect_uri: REDIRECT, ...wrong });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  expect(await response.json()).not.toHaveProperty('access_token');
});

test('of two requests with the same code at the same time, one at most gets tokens, and they do not last', async () => {
  const config = await registered();
  const { verifier, request } = await connector.begin(config);
  const { body } = await connector.answer(account, request);
  const callback = await connector.returned(body.data.returnTo);
  const checks = { pkceCodeVerifier: verifier, expectedState: 'a state' };
  const results = await Promise.allSettled(
    [1, 2, 3].map(() => oauth.authorizationCodeGrant(config, callback, checks)),
  );
  const given = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(given.length).toBeLessThanOrEqual(1);
  for (const tokens of given) expect(await statusWith(tokens.access_token)).toBe(401);
});

test('a refresh token that comes twice ends its grant', async () => {
  const { config, tokens } = await connector.connect(account);
  const renewed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
  await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  expect(await statusWith(renewed.access_token)).toBe(401);
  await expect(oauth.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  expect(await grants()).toEqual([]);
});

test('tokens of one client are nothing for another', async () => {
  const { tokens } = await connector.connect(account);
  const other = await registered();
  await expect(oauth.refreshTokenGrant(other, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await oauth.tokenRevocation(other, tokens.refresh_token ?? '').catch(() => undefined);
  expect(await statusWith(tokens.access_token)).toBe(200);
});

test.each(['password', 'client_credentials', 'implicit'])(
  'there is no grant of the type %s',
  async (grant_type) => {
    const { client_id } = (await registered()).clientMetadata();
    const response = await post('/oauth/token', {
      grant_type,
      client_id,
      username: account.email,
      password: account.password,
    });
    expect([response.status, (await response.json()).error]).toEqual([400, 'unsupported_grant_type']);
  },
);

test.each([
  ['malformed', 'a token'],
  ['unknown', 'x'.repeat(43)],
  ['of a session', ''],
])('a token that is %s opens nothing', async (_, token) => {
  expect(await statusWith(token || account.token)).toBe(401);
});

test('neither the answers nor the pages of the server may be stored or framed', async () => {
  const responses = [
    await connector.open('/oauth/authorize?client_id=nobody'),
    await post('/oauth/token', { grant_type: 'authorization_code' }),
  ];
  for (const { headers } of responses) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('the cookies of a request are for one browser and its page only', async () => {
  const config = await registered();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: 'read',
    resource: API,
    code_challenge: await oauth.calculatePKCECodeChallenge(oauth.randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
  });
  const lines = (await connector.open(url.href)).headers.getSetCookie();
  expect(lines).toHaveLength(4);
  for (const line of lines) {
    expect(line).toMatch(/^__Secure-oauth-(?:request|resume)(?:\.sig)?=/);
    expect(line).toMatch(/path=\/(?:user|oauth)\/authorize\/[\w-]+;/);
    for (const attribute of ['httponly', 'secure', 'samesite=lax'])
      expect(line.toLowerCase()).toContain(attribute);
  }
});

const described = (document: object, headers: Record<string, string> = {}) => {
  respond = () => ({ status: 200, headers, body: Buffer.from(JSON.stringify(document)) });
};

test('a client may describe itself at its address, which is asked once', async () => {
  described({ client_id: DESCRIBED, client_name: 'Described', redirect_uris: [REDIRECT] });
  const config = await connector.discover(DESCRIBED);
  const { verifier, request } = await connector.begin(config);
  expect((await connector.show(account, request)).body.data).toMatchObject({
    client: { name: 'Described', host: 'described.example' },
    answersTo: 'assistant.example',
  });
  const { body } = await connector.answer(account, request);
  const callback = await connector.returned(body.data.returnTo);
  const checks = { pkceCodeVerifier: verifier, expectedState: 'a state' };
  const tokens = await oauth.authorizationCodeGrant(config, callback, checks);
  expect(await statusWith(tokens.access_token)).toBe(200);
  expect(await grants()).toMatchObject([
    { name: 'Described', client: { host: 'described.example', isVerified: true } },
  ]);
  expect(asked).toEqual([DESCRIBED]);
});

test.each([
  ['is not public', 'https://10.0.0.1/client.json', undefined],
  ['names another', 'https://other.example/client.json', { client_id: DESCRIBED, redirect_uris: [REDIRECT] }],
  [
    'has a secret',
    'https://secret.example/client.json',
    { client_id: 'https://secret.example/client.json', redirect_uris: [REDIRECT], padding: 'x'.repeat(6000) },
  ],
  ['says nothing', 'https://empty.example/client.json', {}],
])('a client whose address %s is unknown', async (_, clientId, document) => {
  if (document) described(document);
  expect((await connector.begin(await connector.discover(clientId))).location).toMatch(
    /^\/user\/authorize\/refused\?error=invalid_client/,
  );
});

test('plain http is no address of a client, and is not asked', async () => {
  const { location } = await connector.begin(
    await connector.discover('http://described.example/client.json'),
  );
  expect(location).toMatch(/invalid_client$/);
  expect(asked).toEqual([]);
});
