import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, send } from '../../support/json-calls';
import {
  CLIENT_ID,
  createGoogleHost,
  type GoogleStandIn,
  googleCalls,
  NONCE,
  openGoogleStandIn,
} from './google-stand-in';

const REFUSED = { idToken: ['google_invalid_token'] };
const HOUR = 3600;

let google: GoogleStandIn;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  google = await openGoogleStandIn();
  host = await createGoogleHost({ fetch: google.fetch });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

const { idToken, signIn } = googleCalls(() => ({ google, host, account }));

test('Google may spell its issuer without https', async () => {
  expect((await signIn(await idToken({ iss: 'accounts.google.com' }))).status).toBe(200);
});

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
  const foreign = await generateKeyPair('RS256');
  const [, payload] = (await idToken()).split('.');
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
  const shared = await new SignJWT({ nonce: NONCE })
    .setProtectedHeader({ alg: 'HS256', kid: 'one' })
    .sign(new TextEncoder().encode(CLIENT_ID.padEnd(32)));
  const tokens = [
    await idToken({}, { key: foreign.privateKey }),
    await idToken({}, { key: foreign.privateKey, kid: 'two' }),
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

test('an unreachable provider is reported as unavailable, logged with its cause, and requested again', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const cold = await createGoogleHost({ fetch: google.fetch, log });
  const { email } = await cold.account();
  for (const [state, cause] of [
    ['down', 'fetch failed'],
    ['other issuer', 'the discovery document has a different issuer'],
  ] as const) {
    google.reach = state;
    const away = await signIn(await idToken({ email }), {}, cold);
    expect([away.status, away.body.code]).toEqual([503, 'unavailable']);
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.parse(lines.at(-1) ?? '{}').err?.message).toBe(cause);
  }
  google.reach = 'up';
  cold.clock.set(host.clock.now());
  expect((await signIn(await idToken({ email }), {}, cold)).status).toBe(200);
  await cold.close();
});

test('redirects of the provider are not followed', async () => {
  const follow: typeof fetch = async (input, init) => {
    if (init?.redirect === 'error') throw new TypeError('unexpected redirect');
    return google.fetch(input);
  };
  const cold = await createGoogleHost({ clock: host.clock, fetch: follow });
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
