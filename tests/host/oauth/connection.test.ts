import { eq } from 'drizzle-orm';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiKeys, oauthRecords } from '#host/db/keys.tables';
import { subscriptions } from '#host/db/subscriptions.tables';
import { dropOldAccountData } from '#host/privacy/account-retention';
import { eraseAccount } from '#host/privacy/erasure';
import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import { API, type Connector, createConnector, ISSUER, REDIRECT } from '../../support/connector';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send, subjectsTo } from '../../support/json-calls';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

let host: TestHost;
let account: TestAccount;
let connector: Connector;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(HOUR);
  account = await host.account();
  connector = createConnector(host);
});
afterAll(() => host.close());

const call = (token: string, path = '/tags', init: RequestInit = {}) =>
  host.request(`/api/v1${path}`, { token, ...init });
const statusWith = async (token: string) => (await call(token)).status;
const grants = async (owner = account) =>
  ((await send(host, 'GET', '/api/account/keys', undefined, { token: owner.token })).body.data ?? []) as {
    id: string;
    name: string;
  }[];

test('a foreign client finds its way from a refusal to calls, renews its access and gives it back', async () => {
  const refused = await host.request('/api/v1/tags');
  expect(refused.status).toBe(401);
  const [, metadataUrl = ''] =
    /^Bearer resource_metadata="([^"]+)"$/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  expect(metadataUrl).toBe(`${ISSUER}/.well-known/oauth-protected-resource/api/v1`);
  const metadata = await (await connector.open(metadataUrl)).json();
  expect(metadata).toMatchObject({
    resource: API,
    authorization_servers: [ISSUER],
    scopes_supported: ['read', 'change'],
  });

  const registered = (await connector.register()).clientMetadata();
  expect(registered).toMatchObject({ token_endpoint_auth_method: 'none', redirect_uris: [REDIRECT] });
  expect(registered).not.toHaveProperty('client_secret');
  const config = await connector.discover(registered.client_id);
  const { verifier, request } = await connector.begin(config);
  expect((await connector.show(account, request)).body.data).toEqual({
    client: { name: 'Assistant', host: null },
    answersTo: 'assistant.example',
    mayAllow: true,
    resource: 'api',
    permission: 'change',
    returnTo: null,
  });
  const { body } = await connector.answer(account, request);
  const callback = await connector.returned(body.data.returnTo);
  expect(callback.origin + callback.pathname).toBe(REDIRECT);
  expect(callback.searchParams.get('iss')).toBe(ISSUER);
  const checks = { pkceCodeVerifier: verifier, expectedState: 'a state' };
  const tokens = await oauth.authorizationCodeGrant(config, callback, checks);
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read change' });
  expect(await statusWith(tokens.access_token)).toBe(200);

  const renewed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(await statusWith(renewed.access_token)).toBe(200);
  const stored = JSON.stringify([
    await host.db.orm.select().from(oauthRecords),
    await host.db.orm.select().from(apiKeys),
  ]);
  for (const secret of [
    tokens.access_token,
    tokens.refresh_token,
    renewed.access_token,
    renewed.refresh_token,
  ])
    expect(stored).not.toContain(secret);

  await oauth.tokenRevocation(config, renewed.refresh_token ?? '');
  const ended = await call(renewed.access_token);
  expect(ended.status).toBe(401);
  expect(ended.headers.get('www-authenticate')).toBe(
    `Bearer error="invalid_token", resource_metadata="${metadataUrl}"`,
  );
  expect(await grants()).toEqual([]);
});

test('the owner is told, sees who has access, and ends it at once', async () => {
  const { tokens } = await connector.connect(account, { tag: 'Menu' });
  const now = host.clock.now();
  const [grant] = await grants();
  expect(grant).toEqual({
    id: expect.any(String),
    name: 'Assistant',
    lastFour: '',
    permission: 'change',
    tag: 'Menu',
    origins: [],
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 30 * DAY).toISOString(),
    lastUsedAt: null,
    earlier: null,
    client: { host: 'assistant.example', isVerified: false, resource: 'api' },
  });
  expect(await subjectsTo(host, account.email)).toContain('A program was connected to your account');
  expect(await statusWith(tokens.access_token)).toBe(200);
  await expect.poll(async () => (await grants())[0]).toMatchObject({ lastUsedAt: now.toISOString() });

  const stranger = await host.account();
  const path = `/api/account/keys/${grant?.id}`;
  expect((await send(host, 'DELETE', path, undefined, { token: stranger.token })).status).toBe(404);
  const renewal = { overlap: 'none', currentPassword: account.password };
  expect((await send(host, 'POST', `${path}/renew`, renewal, { token: account.token })).status).toBe(404);
  expect(await statusWith(tokens.access_token)).toBe(200);

  const ended = await send(host, 'DELETE', path, undefined, { token: account.token });
  expect(ended.body.message).toBe('grant_ended');
  expect(await statusWith(tokens.access_token)).toBe(401);
  expect(
    await host.db.orm
      .select()
      .from(oauthRecords)
      .where(eq(oauthRecords.keyId, grant?.id ?? '')),
  ).toEqual([]);
});

test('a token has every limit of a key', async () => {
  const reads = await connector.connect(account, { permission: 'read' });
  expect(reads.tokens.scope).toBe('read');
  const body = JSON.stringify({ type: 'link', content: 'https://menu.example/' });
  const headers = { 'content-type': 'application/json' };
  const made = (token: string) => call(token, '/codes', { method: 'POST', headers, body });
  expect((await made(reads.tokens.access_token)).status).toBe(403);
  const tagged = await connector.connect(account, { tag: 'Menu' });
  await host.code(account.id);
  const created = await made(tagged.tokens.access_token);
  expect(created.status).toBe(201);
  expect((await created.json()).data.tags).toEqual(['Menu']);
  const seen = await (await call(tagged.tokens.access_token, '/codes')).json();
  expect(seen.data).toHaveLength(1);
  // Not where keys are accepted outside of what the token is for, nor anything of the account.
  for (const path of ['/api/qrcodes', '/api/account/keys', '/api/account/profile'])
    expect((await host.request(path, { token: tagged.tokens.access_token })).status).toBe(401);
});

test('a token that asks for less than was allowed gets less', async () => {
  const { config, tokens } = await connector.connect(account);
  const renewed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '', { scope: 'read' });
  expect(renewed.scope).toBe('read');
  const refused = await call(renewed.access_token, '/codes', { method: 'POST' });
  expect(refused.status).toBe(403);
});

test('what is asked for is never more than what is granted', async () => {
  const { tokens } = await connector.connect(
    account,
    { permission: 'change' },
    { scope: 'read openid profile' },
  );
  expect(tokens.scope).toBe('read');
  expect(tokens).not.toHaveProperty('id_token');
  expect((await grants())[0]).toMatchObject({ permission: 'read' });
});

test('a token for assistants is none for the API', async () => {
  const { tokens } = await connector.connect(account, {}, { resource: `${ISSUER}/mcp` });
  expect(await statusWith(tokens.access_token)).toBe(401);
  expect((await grants())[0]).toMatchObject({ client: { resource: 'mcp' } });
});

test('a token ends after an hour, and a grant that is not used after 30 days', async () => {
  const { config, tokens } = await connector.connect(account);
  host.clock.advance(HOUR - 1);
  expect(await statusWith(tokens.access_token)).toBe(200);
  host.clock.advance(1);
  expect(await statusWith(tokens.access_token)).toBe(401);
  host.clock.advance(29 * DAY);
  const renewed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
  host.clock.advance(30 * DAY);
  await expect(oauth.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await grants()).toEqual([]);
});

test('a grant ends after a year, however much it is used', async () => {
  const { config, tokens } = await connector.connect(account);
  let current = tokens.refresh_token ?? '';
  const start = host.clock.now().getTime();
  for (let day = 29; day < 365; day += 29) {
    host.clock.set(new Date(start + day * DAY));
    current = (await oauth.refreshTokenGrant(config, current)).refresh_token ?? '';
  }
  expect((await grants(await signedInAgain()))[0]).toMatchObject({
    expiresAt: new Date(start + 365 * DAY).toISOString(),
  } as object);
  host.clock.set(new Date(start + 365 * DAY));
  await expect(oauth.refreshTokenGrant(config, current)).rejects.toMatchObject({ error: 'invalid_grant' });
});

test('without a running subscription nothing can be allowed, and nothing called', async () => {
  const unpaid = await host.account({ access: false });
  const config = await connector.discover((await connector.register()).clientMetadata().client_id);
  const { request } = await connector.begin(config);
  expect((await connector.show(unpaid, request)).body.data).toMatchObject({ mayAllow: false });
  expect((await connector.answer(unpaid, request)).status).toBe(402);
  expect(await grants(unpaid)).toEqual([]);
  expect((await connector.answer(unpaid, request, { allow: false })).status).toBe(200);

  const { tokens } = await connector.connect(account);
  await host.db.orm.update(subscriptions).set({ accessUntil: host.clock.now() });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ type: 'link', content: 'https://menu.example/' });
  const made = await call(tokens.access_token, '/codes', { method: 'POST', headers, body });
  expect(made.status).toBe(402);
});

test('a new password ends every connection if the owner asks for it, and so does the end of the account', async () => {
  const { config, tokens } = await connector.connect(account);
  const passwords = { currentPassword: account.password, newPassword: 'another horse, another staple' };
  await send(host, 'POST', '/api/account/change-password', passwords, { token: account.token });
  expect(await statusWith(tokens.access_token)).toBe(200);
  const again = await signedInAgain();
  const change = {
    currentPassword: passwords.newPassword,
    newPassword: 'a third horse and staple',
    revokesKeys: true,
  };
  await send(host, 'POST', '/api/account/change-password', change, { token: again.token });
  expect(await statusWith(tokens.access_token)).toBe(401);
  await expect(oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });

  const other = await host.account();
  const connected = await connector.connect(other);
  const exported = await host.request('/api/account/export', { token: other.token });
  expect((await exported.json()).data.account.keys).toMatchObject([
    { name: 'Assistant', client: { host: 'assistant.example' } },
  ]);
  await eraseAccount(host.deps, other.id, { now: host.clock.now(), keepsLinks: false });
  expect(await statusWith(connected.tokens.access_token)).toBe(401);
  expect(JSON.stringify(await host.db.orm.select().from(oauthRecords))).not.toContain(other.id);
});

test('a refusal is told to the program, and makes no grant', async () => {
  const config = await connector.discover((await connector.register()).clientMetadata().client_id);
  const { request } = await connector.begin(config);
  const { body } = await connector.answer(account, request, { allow: false });
  const callback = await connector.returned(body.data.returnTo);
  expect(callback.href).toMatch(/^https:\/\/assistant\.example\/callback\?error=access_denied&/);
  expect(callback.searchParams.get('state')).toBe('a state');
  expect(await grants()).toEqual([]);
});

test('allowing needs the owner as making a key does, refusing does not', async () => {
  const config = await connector.discover((await connector.register()).clientMetadata().client_id);
  const { request } = await connector.begin(config);
  const refused = await connector.answer(account, request, { currentPassword: '' });
  expect(refused.body.errors).toEqual({ currentPassword: ['password_required'] });
  const { secret } = await setUpAuthenticator(host, account);
  host.clock.advance(60_000);
  expect((await connector.answer(account, request)).body.errors).toEqual({ code: ['code_required'] });
  expect(await grants()).toEqual([]);
  const code = codeAt(secret, host.clock.now());
  expect((await connector.answer(account, request, { code })).status).toBe(200);
  expect(await grants()).toHaveLength(1);
  const other = await connector.begin(config);
  const refusal = { allow: false, currentPassword: '' };
  expect((await connector.answer(account, other.request, refusal)).status).toBe(200);
});

/** As after a sign-in: a new password and time end sessions. */
async function signedInAgain(): Promise<TestAccount> {
  return { ...account, token: await host.token(account.id, account.email) };
}
