import { eq } from 'drizzle-orm';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findMailToken, hashToken, makeMailToken } from '#host/accounts/mail-tokens';
import { createOnboarding } from '#host/accounts/onboarding';
import { accounts, sessions } from '#host/db/accounts.tables';
import { confirmEmailChange } from '#host/sign-in/email-change';
import { rowsOf } from '../../support/account-rows';
import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { interruptible } from '../../support/interrupted-database';
import { mailedToken, send } from '../../support/json-calls';
import { SoftwareAuthenticator } from '../../support/software-authenticator';

const NEW = 'seven green boats at dawn';
const SITE = { rpId: 'www.quadrille.example', origin: 'https://www.quadrille.example' };
const GOOGLE = { clientId: 'client-of-the-test.apps.example', issuer: 'https://accounts.google.com' };
const NONCE = 'a nonce of the website, random';

let host: TestHost;
let interrupt: ReturnType<typeof interruptible>['interrupt'];
/** Runs while the captcha is verified. */
let meanwhile: () => unknown;
let account: TestAccount;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
/** Of an account with a second factor. */
let recoveryCode = '';

async function googleDocuments(input: string | URL | Request): Promise<Response> {
  const url = String(input instanceof Request ? input.url : input);
  if (url.endsWith('/openid-configuration'))
    return Response.json({ issuer: GOOGLE.issuer, jwks_uri: 'https://www.googleapis.example/certs' });
  return Response.json({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }] });
}

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  const interrupted = interruptible(await openFresh());
  interrupt = interrupted.interrupt;
  const captcha = async () => {
    const act = meanwhile;
    meanwhile = () => undefined;
    await act();
    return true;
  };
  host = await createTestHost({
    db: interrupted.db,
    captcha,
    fetch: googleDocuments,
    settings: { google: GOOGLE },
  });
});
beforeEach(async () => {
  meanwhile = () => undefined;
  host.clock.advance(3_600_000);
  account = await host.account();
  recoveryCode = '';
});
afterAll(() => host.close());

async function reset(): Promise<void> {
  const link = { accountId: account.id, purpose: 'reset' } as const;
  const token = await makeMailToken(host.db.orm, host.deps.random, link, host.clock.now());
  const body = { token, password: NEW, confirmPassword: NEW, captcha: 'good' };
  expect((await send(host, 'POST', '/api/account/reset-password', body)).status).toBe(200);
}

async function erase(): Promise<void> {
  const body = { password: account.password, code: recoveryCode };
  const erased = await send(host, 'DELETE', '/api/account', body, account);
  expect(erased.status).toBe(200);
}

const logIn = (fields: Record<string, unknown> = {}) =>
  send(host, 'POST', '/api/login_check', {
    email: account.email,
    password: account.password,
    captcha: 'good',
    ...fields,
  });

async function googleToken(claims: Record<string, unknown> = {}): Promise<string> {
  const seconds = Math.floor(host.clock.now().getTime() / 1000);
  const whole = {
    iss: GOOGLE.issuer,
    aud: GOOGLE.clientId,
    sub: account.id,
    iat: seconds,
    exp: seconds + 3600,
    email: account.email,
    email_verified: true,
    nonce: NONCE,
    hd: 'test.example',
    ...claims,
  };
  return new SignJWT(whole).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(keys.privateKey);
}

async function logInWithGoogle(claims: Record<string, unknown> = {}) {
  const idToken = await googleToken(claims);
  return () => send(host, 'POST', '/api/google_login', { idToken, nonce: NONCE });
}

async function logInWithCode() {
  const { secret, recoveryCodes } = await setUpAuthenticator(host, account);
  recoveryCode = recoveryCodes[0] ?? '';
  host.clock.advance(30_000);
  const { challenge } = (await logIn()).body as { challenge?: string };
  const code = codeAt(secret, host.clock.now());
  return () => send(host, 'POST', '/api/login_check/code', { challenge, code });
}

async function logInWithPasskey() {
  const path = '/api/account/passkeys';
  const begun = await send(host, 'POST', `${path}/options`, { currentPassword: account.password }, account);
  const key = new SoftwareAuthenticator();
  const made = key.create({ ...SITE, ...(begun.body.data as { challenge: string }) });
  await send(host, 'POST', path, { name: 'My key', credential: made }, account);
  const { body } = await send(host, 'POST', '/api/login_passkey/options');
  const credential = key.get({ ...SITE, ...(body.data as { challenge: string }) });
  return () => send(host, 'POST', '/api/login_passkey', { credential });
}

async function liveSessions(): Promise<number> {
  const rows = await host.db.orm.select().from(sessions).where(eq(sessions.accountId, account.id));
  return rows.filter(({ revokedAt }) => revokedAt === null).length;
}

test('a password that is reset while the captcha is verified no longer signs in', async () => {
  meanwhile = reset;
  const refused = await logIn();
  expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials']);
  expect(await liveSessions()).toBe(0);
  expect((await rowsOf(host, account.id)).known_devices).toBeUndefined();
  expect((await logIn({ password: NEW })).status).toBe(200);
});

test('a sign-in whose password is reset while its code is checked is refused', async () => {
  const finish = await logInWithCode();
  interrupt(reset);
  expect((await finish()).body.errors).toEqual({ challenge: ['sign_in_expired'] });
  expect(await liveSessions()).toBe(0);
});

test.each([
  ['Google', logInWithGoogle, 200],
  ['a passkey', logInWithPasskey, 200],
])('%s still signs in if the password is reset in the meantime', async (_, prepare, status) => {
  const finish = await prepare();
  interrupt(reset);
  expect((await finish()).status).toBe(status);
  expect(await liveSessions()).toBe(1);
});

test('an account that changes its e-mail address in the meantime is not linked to Google', async () => {
  const now = host.clock.now();
  const body = { firstName: 'A', lastName: 'B', email: `new-${account.email}` };
  const change = { ...body, currentPassword: account.password };
  await send(host, 'PUT', '/api/account/profile', change, account);
  const link = await findMailToken(
    host.db.orm,
    hashToken(await mailedToken(host, body.email)),
    'email_change',
  );
  if (!link) throw new Error('the link is unknown');
  const finish = await logInWithGoogle();
  interrupt(() => confirmEmailChange(host.db.orm, link, undefined, now));
  expect((await finish()).body.errors).toEqual({ idToken: ['google_unknown_account'] });
  expect(await rowsOf(host, account.id)).not.toHaveProperty('identities');
  expect(await liveSessions()).toBe(0);
});

test.each([
  ['a password', async () => logIn, 'invalid_credentials'],
  ['a code', logInWithCode, 'code_used'],
  ['a Google account not linked before', logInWithGoogle, 'google_unknown_account'],
  [
    'a known Google account',
    async () => {
      await (await logInWithGoogle({ jti: 'first' }))();
      return logInWithGoogle();
    },
    'google_unknown_account',
  ],
  ['a passkey', logInWithPasskey, 'passkey_refused'],
])('an account that is erased while %s signs in has no new rows', async (_, prepare, code) => {
  const finish = await prepare();
  interrupt(erase);
  const { body } = await finish();
  expect(Object.values(body.errors ?? { only: [body.code] }).flat()).toEqual([code]);
  expect(Object.keys(await rowsOf(host, account.id))).toEqual(['subscriptions']);
});

test('an account that is erased right after its setup is not signed in', async () => {
  const email = `buyer-${account.id}@test.example`;
  const buyer = { email, locale: 'gb' as const };
  const { token, accountId } = await createOnboarding(host.db.orm, host.deps, buyer, host.clock.now());
  const body = { token, firstName: 'Ada', lastName: 'Byron', password: NEW, confirmPassword: NEW };
  interrupt(() =>
    interrupt(() =>
      host.db.orm
        .update(accounts)
        .set({ deletedAt: host.clock.now(), passwordHash: null })
        .where(eq(accounts.id, accountId)),
    ),
  );
  const answered = await send(host, 'POST', '/api/account/onboarding', body);
  expect(answered.body.errors).toEqual({ token: ['token_used'] });
  expect(await rowsOf(host, accountId)).toEqual({ mail_tokens: 1 });
});
