import { eq } from 'drizzle-orm';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOnboarding } from '#host/accounts/onboarding';
import { accounts, activities, identities } from '#host/db/accounts.tables';
import { codes, drafts } from '#host/db/codes.tables';
import { setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, send, signInOf, subjectsTo } from '../../support/json-calls';

const ISSUER = 'https://accounts.google.com';
const CLIENT_ID = 'client-of-the-test.apps.example';
const NONCE = 'a nonce of the website, random';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let host: TestHost;
let account: TestAccount;
let [keys, foreignKeys]: [Keys, Keys] = [] as unknown as [Keys, Keys];
let reach: 'up' | 'down' | 'other issuer' = 'up';
let serial = 0;

/** Serves Google's discovery document and key set, with keys of the test. */
async function googleDocuments(input: string | URL | Request): Promise<Response> {
  const url = String(input instanceof Request ? input.url : input);
  if (reach === 'down') throw new TypeError('fetch failed');
  if (url === `${ISSUER}/.well-known/openid-configuration`) {
    const issuer = reach === 'up' ? ISSUER : 'https://impostor.example';
    return Response.json({ issuer, jwks_uri: 'https://www.googleapis.example/certs' });
  }
  if (url === 'https://www.googleapis.example/certs') {
    return Response.json({
      keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }],
    });
  }
  return new Response('', { status: 404 });
}

beforeAll(async () => {
  [keys, foreignKeys] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const google = { clientId: CLIENT_ID, issuer: ISSUER };
  host = await createTestHost({ fetch: googleDocuments, settings: { google } });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

async function idToken(
  claims: JWTPayload = {},
  { key = keys.privateKey, kid = 'one' } = {},
): Promise<string> {
  serial += 1;
  const seconds = Math.floor(host.clock.now().getTime() / 1000);
  const whole = {
    ...{ iss: ISSUER, aud: CLIENT_ID, sub: `google-${account.id}`, iat: seconds, exp: seconds + 3600 },
    ...{ email: account.email, email_verified: true, nonce: NONCE, jti: String(serial), hd: 'test.example' },
    ...claims,
  };
  return new SignJWT(whole).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
}

function signIn(token: string, fields: Record<string, unknown> = {}, on: TestHost = host) {
  return send(on, 'POST', '/api/google_login', { idToken: token, nonce: NONCE, ...fields });
}

const REFUSED = { idToken: ['google_invalid_token'] };

test('a verified address is linked to its account once, and the owner is notified', async () => {
  const answered = await signIn(await idToken());
  expect(answered.status).toBe(200);
  const profile = await send(host, 'GET', '/api/account/profile', undefined, { token: answered.body.token });
  expect(profile.body.data).toMatchObject({ email: account.email });
  expect((await signIn(await idToken())).status).toBe(200);
  const linked = await host.db.orm.select().from(identities).where(eq(identities.accountId, account.id));
  expect(linked).toMatchObject([{ issuer: ISSUER, subject: `google-${account.id}` }]);
  expect(await subjectsTo(host, account.email)).toEqual(['Your account can now be opened with Google']);
  const done = await host.db.orm.select().from(activities).where(eq(activities.accountId, account.id));
  expect(done.map(({ type }) => type)).toEqual(['google_auth_login', 'google_auth_login']);
});

test('the identity stays with its account when the address at Google changes', async () => {
  await signIn(await idToken());
  const other = await host.account();
  const answered = await signIn(await idToken({ email: other.email }));
  const profile = await send(host, 'GET', '/api/account/profile', undefined, { token: answered.body.token });
  expect(profile.body.data).toMatchObject({ email: account.email });
});

test('an address without an account gets another error than a bad token', async () => {
  const answered = await signIn(await idToken({ sub: 'new-here', email: 'stranger@gmail.example' }));
  expect([answered.status, answered.body.errors]).toEqual([422, { idToken: ['google_unknown_account'] }]);
});

const profileOf = async (token = '') =>
  (await send(host, 'GET', '/api/account/profile', undefined, { token })).body.data as { email: string };

async function identitiesOf(token = account.token) {
  return (await signInOf(host, token)).googleAccounts;
}

test('an identity whose mailbox Google does not run is linked after the password is given', async () => {
  const refused = await signIn(await idToken({ hd: undefined }));
  const { token, link = '' } = refused.body as { token?: string; link?: string };
  expect([refused.status, token]).toEqual([200, '']);
  expect(await identitiesOf()).toEqual([]);
  const { email, password } = account;
  const wrong = await send(host, 'POST', '/api/login_check', { email, password: 'not the password', link });
  expect(wrong.status).toBe(401);
  expect(await identitiesOf()).toEqual([]);
  const right = await send(host, 'POST', '/api/login_check', { email, password, link });
  expect(right.body.token).not.toBe('');
  expect(await identitiesOf()).toMatchObject([{ email }]);
  expect(await subjectsTo(host, email)).toEqual(['Your account can now be opened with Google']);
  const again = await signIn(await idToken({ hd: undefined }));
  expect(await profileOf(again.body.token)).toMatchObject({ email });
});

test.each(['ada@gmail.com', 'ada@GoogleMail.com'])('%s is a mailbox that Google runs', async (email) => {
  await host.db.orm
    .update(accounts)
    .set({ email: `${account.id}-${email}` })
    .where(eq(accounts.id, account.id));
  const answered = await signIn(await idToken({ hd: undefined, email: `${account.id}-${email}` }));
  expect(answered.body.token).not.toBe('');
});

test.each(['ada@gmail.com.example', 'ada@notgmail.com', 'gmail.com@test.example'])(
  '%s is no mailbox that Google runs',
  async (address) => {
    const email = `${account.id}-${address}`;
    await host.db.orm.update(accounts).set({ email }).where(eq(accounts.id, account.id));
    expect((await signIn(await idToken({ hd: undefined, email }))).body.token).toBe('');
  },
);

test('an identity is linked neither by the password of another account nor by an old or forged link', async () => {
  const other = await host.account();
  const linkOf = async () =>
    ((await signIn(await idToken({ hd: undefined }))).body as { link?: string }).link ?? '';
  const logIn = ({ email, password }: TestAccount, link: string) =>
    send(host, 'POST', '/api/login_check', { email, password, link });
  const link = await linkOf();
  expect((await logIn(other, link)).status).toBe(200);
  expect((await logIn(account, `${link.slice(0, -4)}AAAA`)).status).toBe(200);
  host.clock.advance(10 * 60_000 + 1000);
  expect((await logIn(account, link)).status).toBe(200);
  for (const { token } of [account, other]) expect(await identitiesOf(token)).toEqual([]);
});

test('an account that is not set up is not opened by an address whose mailbox Google does not run', async () => {
  const buyer = await bought();
  const refused = await signIn(await buyer.token({ hd: undefined }));
  expect(refused.body.errors).toEqual({ idToken: ['google_set_up_first'] });
});

test('a sign-in with Google needs the second factor too, and links nothing before it', async () => {
  const { recoveryCodes } = await setUpAuthenticator(host, account);
  const answered = await signIn(await idToken());
  expect(answered.body.token).toBe('');
  expect(await identitiesOf()).toEqual([]);
  const { challenge = '' } = answered.body as { challenge?: string };
  const body = { challenge, code: recoveryCodes[0] };
  const entered = await send(host, 'POST', '/api/login_check/code', body);
  expect(await profileOf(entered.body.token)).toMatchObject({ email: account.email });
  expect(await identitiesOf()).toMatchObject([{ email: account.email }]);
});

test('a linked identity is removed with the password, and its owner is notified', async () => {
  await signIn(await idToken());
  const [identity] = await identitiesOf();
  const path = `/api/account/identities/${identity?.id}`;
  const remove = (currentPassword: string) =>
    send(host, 'DELETE', path, { currentPassword }, { token: account.token });
  expect((await remove('not the password')).body.errors).toEqual({ currentPassword: ['password_wrong'] });
  expect((await remove(account.password)).body).toMatchObject({ message: 'google_unlinked' });
  expect(await identitiesOf()).toEqual([]);
  expect((await remove(account.password)).status).toBe(404);
  expect((await subjectsTo(host, account.email))[0]).toBe('A Google account was removed from your account');
});

test('the only sign-in method of an account cannot be removed', async () => {
  const buyer = await bought();
  const { token = '' } = (await signIn(await buyer.token())).body;
  const [identity] = await identitiesOf(token);
  const refused = await send(host, 'DELETE', `/api/account/identities/${identity?.id}`, {}, { token });
  expect(refused.status).toBe(409);
  expect(await identitiesOf(token)).toHaveLength(1);
});

test('Google may spell its issuer without https', async () => {
  expect((await signIn(await idToken({ iss: 'accounts.google.com' }))).status).toBe(200);
});

const HOUR = 3600;
test.each<[string, (seconds: number) => JWTPayload]>([
  ['of another issuer', () => ({ iss: 'https://impostor.example' })],
  ['for another client', () => ({ aud: 'someone-else' })],
  [
    'for several clients, issued to another',
    () => ({ aud: [CLIENT_ID, 'someone-else'], azp: 'someone-else' }),
  ],
  ['expired', (now) => ({ iat: now - 2 * HOUR, exp: now - HOUR })],
  ['older than ten minutes', (now) => ({ iat: now - 700 })],
  ['from the future', (now) => ({ iat: now + 600 })],
  ['without an expiry', () => ({ exp: undefined })],
  ['without a subject', () => ({ sub: undefined })],
  ['with another nonce', () => ({ nonce: 'a nonce of some other visitor' })],
  ['without a nonce', () => ({ nonce: undefined })],
  ['with an unverified address', () => ({ email_verified: false })],
  ['with email_verified as a string', () => ({ email_verified: 'true' })],
  ['without an address', () => ({ email: undefined })],
])('a token %s is refused', async (_, claims) => {
  const seconds = Math.floor(host.clock.now().getTime() / 1000);
  const refused = await signIn(await idToken(claims(seconds)));
  expect([refused.status, refused.body.errors]).toEqual([422, REFUSED]);
});

test('a token of another key, of an unknown key, unsigned or of another kind is refused', async () => {
  const [, payload] = (await idToken()).split('.');
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
  const shared = await new SignJWT({ nonce: NONCE })
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(new TextEncoder().encode(CLIENT_ID.padEnd(32)));
  const tokens = [
    await idToken({}, { key: foreignKeys.privateKey }),
    await idToken({}, { key: foreignKeys.privateKey, kid: 'two' }),
    `${unsigned}.${payload}.`,
    shared,
    'no.token.atall',
    'nonsense',
  ];
  for (const token of tokens) expect((await signIn(token)).body.errors).toEqual(REFUSED);
});

test('a token signs in once, even when sent concurrently', async () => {
  const token = await idToken();
  const answers = await Promise.all([signIn(token), signIn(token)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  expect((await signIn(token)).body.errors).toEqual(REFUSED);
});

test('a token signs in once, however its signature is encoded', async () => {
  const token = await idToken();
  expect((await signIn(token)).status).toBe(200);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // The 2048 bits of a signature leave four bits of its last base64url character unused.
  const last = alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1];
  for (const written of [`${token} `, `${token}=`, `${token}\n`, `${token.slice(0, -1)}${last}`]) {
    expect((await signIn(written)).body.errors, written.slice(-4)).toEqual(REFUSED);
  }
});

test('an erased account cannot be opened with its old identity', async () => {
  await signIn(await idToken());
  await send(host, 'DELETE', '/api/account', { password: account.password }, account);
  expect((await signIn(await idToken())).body.errors).toEqual({ idToken: ['google_unknown_account'] });
});

test('an unreachable provider is reported as unavailable, logged with its cause, and requested again', async () => {
  const google = { clientId: CLIENT_ID, issuer: ISSUER };
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const cold = await createTestHost({ fetch: googleDocuments, log, settings: { google } });
  const { email } = await cold.account();
  for (const [state, cause] of [
    ['down', 'fetch failed'],
    ['other issuer', 'the discovery document has a different issuer'],
  ] as const) {
    reach = state;
    const away = await signIn(await idToken({ email }), {}, cold);
    expect([away.status, away.body.code]).toEqual([503, 'unavailable']);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.parse(lines.at(-1) ?? '{}').err?.message).toBe(cause);
  }
  reach = 'up';
  cold.clock.set(host.clock.now());
  expect((await signIn(await idToken({ email }), {}, cold)).status).toBe(200);
  await cold.close();
});

test('redirects of the provider are not followed', async () => {
  const follow: typeof fetch = async (input, init) => {
    if (init?.redirect === 'error') throw new TypeError('unexpected redirect');
    return googleDocuments(input);
  };
  const google = { clientId: CLIENT_ID, issuer: ISSUER };
  const cold = await createTestHost({ clock: host.clock, fetch: follow, settings: { google } });
  const { email } = await cold.account();
  expect((await signIn(await idToken({ email }), {}, cold)).status).toBe(503);
  await cold.close();
});

test('without a client id there is no such call', async () => {
  const plain = await createTestHost();
  expect((await signIn('anything', {}, plain)).status).toBe(404);
  await plain.close();
});

test.each(brokenBodies({ idToken: 'a.b.c', nonce: NONCE }, ['idToken', 'nonce']))(
  'Google sign-in refuses %s that is %s',
  async (_, __, body) => {
    const answered = await send(host, 'POST', '/api/google_login', body);
    expect(answered.status).toBe(422);
    expect(new Set(Object.values(answered.body.errors ?? {}).flat())).toEqual(
      new Set(['google_invalid_token']),
    );
  },
);

async function bought(fields: { draftId?: string } = {}) {
  serial += 1;
  const email = `buyer-${serial}@gmail.example`;
  const made = await host.db.orm.transaction((transaction) =>
    createOnboarding(transaction, host.deps, { email, locale: 'gb', ...fields }, host.clock.now()),
  );
  const token = (claims: JWTPayload = {}) => idToken({ sub: `google-${email}`, email, ...claims });
  return { email, token, accountId: made.accountId, link: made.token };
}

async function keepDraft(fields: Record<string, unknown>): Promise<string> {
  const form = new FormData();
  form.set('visitor', 'a browser with a long random key');
  form.set('fields', JSON.stringify(fields));
  const answered = await host.request('/api/drafts', { method: 'POST', body: form });
  return String((await answered.json()).data.id);
}

const codesOf = (accountId: string) => host.db.orm.select().from(codes).where(eq(codes.accountId, accountId));

test('a bought account that is opened with Google first is set up: the kept design becomes its first code', async () => {
  const draftId = await keepDraft({ type: 'link', content: 'example.org/menu' });
  const buyer = await bought({ draftId });
  const answered = await signIn(await buyer.token());
  expect([answered.status, answered.body]).toEqual([
    200,
    { token: expect.any(String), device: expect.any(String), created: 'account' },
  ]);
  expect(await codesOf(buyer.accountId)).toMatchObject([
    { type: 'link', content: 'https://example.org/menu', visibility: 'public' },
  ]);
  const again = await signIn(await buyer.token());
  expect(again.body).toEqual({ token: expect.any(String), device: expect.any(String), created: null });
  expect(await codesOf(buyer.accountId)).toHaveLength(1);
});

test('the mailed link still sets names and password of such an account, and creates no second code', async () => {
  const draftId = await keepDraft({ type: 'text', content: 'Once' });
  const buyer = await bought({ draftId });
  await signIn(await buyer.token());
  const password = 'three quiet lamps over water';
  const names = { firstName: 'Ada', lastName: 'Byron', password, confirmPassword: password };
  const set = await send(host, 'POST', '/api/account/onboarding', { ...names, token: buyer.link });
  expect(set.status).toBe(200);
  expect(await codesOf(buyer.accountId)).toHaveLength(1);
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: null });
});

test('the design of a second purchase becomes a code at the next sign-in, even with a known identity', async () => {
  const buyer = await bought();
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: 'account' });
  const draftId = await keepDraft({ type: 'text', content: 'Second' });
  const order = { email: buyer.email, locale: 'gb' as const, draftId };
  await host.db.orm.transaction((orm) => createOnboarding(orm, host.deps, order, host.clock.now()));
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: 'code' });
  expect(await codesOf(buyer.accountId)).toMatchObject([{ content: 'Second' }]);
});

test('a design that is not yet a valid code stays saved, and the account opens anyway', async () => {
  const draftId = await keepDraft({ type: 'email', content: 'not an address' });
  const buyer = await bought({ draftId });
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: 'account' });
  expect(await codesOf(buyer.accountId)).toEqual([]);
  expect(await host.db.orm.select().from(drafts).where(eq(drafts.id, draftId))).toHaveLength(1);
});
