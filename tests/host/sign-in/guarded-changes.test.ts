import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { identities } from '#host/db/accounts.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { mailedToken, send, signInOf } from '../../support/json-calls';
import { SoftwareAuthenticator } from '../../support/software-authenticator';
import { STEP_MS, secondFactorCalls } from './second-factor-calls';

const PASSKEYS = '/api/account/passkeys';
const SITE = { rpId: 'www.quadrille.example', origin: 'https://www.quadrille.example' };
const NEW_PASSWORD = 'seven green boats at dawn';

let host: TestHost;
let account: TestAccount;
const { call, codeNow, logIn, withSecondFactor } = secondFactorCalls(() => ({ host, account }));

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

async function addPasskey(proof: object = {}): Promise<string> {
  const begun = await call('POST', `${PASSKEYS}/options`, { currentPassword: account.password, ...proof });
  const { challenge } = begun.body.data as { challenge: string };
  const credential = new SoftwareAuthenticator().create({ ...SITE, challenge });
  const { body } = await call('POST', PASSKEYS, { name: 'My key', credential });
  return (body.data as { id: string }).id;
}

async function linkGoogle(): Promise<string> {
  const id = randomUUID();
  const values = { id, accountId: account.id, subject: id, createdAt: host.clock.now() };
  await host.db.orm
    .insert(identities)
    .values({ ...values, issuer: 'https://accounts.google.com', email: '' });
  return id;
}

/** Every change of a way into the account, with what it needs besides a code. */
const CHANGES: Record<string, () => Promise<(proof: object) => ReturnType<typeof call>>> = {
  'adding a passkey': async () => (proof) =>
    call('POST', `${PASSKEYS}/options`, { currentPassword: account.password, ...proof }),
  'removing a passkey': async () => {
    const id = await addPasskey();
    return (proof) => call('DELETE', `${PASSKEYS}/${id}`, { currentPassword: account.password, ...proof });
  },
  'removing all passkeys': async () => {
    await addPasskey();
    return (proof) => call('DELETE', PASSKEYS, { currentPassword: account.password, ...proof });
  },
  'changing the e-mail address': async () => (proof) =>
    call('PUT', '/api/account/profile', {
      firstName: 'Ada',
      lastName: 'Byron',
      email: `new-${account.email}`,
      currentPassword: account.password,
      ...proof,
    }),
  'changing the password': async () => (proof) =>
    call('POST', '/api/account/change-password', {
      currentPassword: account.password,
      newPassword: NEW_PASSWORD,
      ...proof,
    }),
  'unlinking a Google account': async () => {
    const id = await linkGoogle();
    return (proof) =>
      call('DELETE', `/api/account/identities/${id}`, { currentPassword: account.password, ...proof });
  },
  'erasing the account': async () => (proof) =>
    call('DELETE', '/api/account', { password: account.password, ...proof }),
};

test.each(Object.keys(CHANGES))('%s needs a code with a second factor, and none without', async (name) => {
  const change = await CHANGES[name]?.();
  if (!change) throw new Error('unknown change');
  const { secret } = await withSecondFactor();
  const refused = async (proof: object) => (await change(proof)).body.errors;
  expect(await refused({})).toEqual({ code: ['code_required'] });
  expect(await refused({ code: '' })).toEqual({ code: ['code_required'] });
  expect(await refused({ code: '12345' })).toEqual({ code: ['code_invalid'] });
  const code = codeNow(secret);
  expect(await refused({ code: code === '000000' ? '000001' : '000000' })).toEqual({ code: ['code_wrong'] });
  expect((await change({ code })).status).toBe(200);

  account = await host.account();
  const unguarded = await CHANGES[name]?.();
  expect((await unguarded?.({}))?.status).toBe(200);
});

test('a wrong password is refused before the code is looked at, which stays usable', async () => {
  const { secret } = await withSecondFactor();
  const code = codeNow(secret);
  const wrong = await call('POST', `${PASSKEYS}/options`, { currentPassword: 'not the password', code });
  expect(wrong.body.errors).toEqual({ currentPassword: ['password_wrong'] });
  expect(await addPasskey({ code })).toEqual(expect.any(String));
});

test('within a minute a session may use one code for several changes, and another session may not', async () => {
  const other = ((await logIn()).body as { token: string }).token;
  const { secret } = await withSecondFactor();
  const code = codeNow(secret);
  const first = await addPasskey({ code });
  host.clock.advance(29_000);
  const remove = (id: string, token?: string) =>
    call('DELETE', `${PASSKEYS}/${id}`, { currentPassword: account.password, code }, token);
  expect((await remove(first)).status).toBe(200);

  const second = await addPasskey({ code: codeNow(secret, 1) });
  const used = { currentPassword: account.password, code: codeNow(secret, 1) };
  const elsewhere = await call('DELETE', `${PASSKEYS}/${second}`, used, other);
  expect(elsewhere.body.errors).toEqual({ code: ['code_used'] });
});

test('an e-mail address that stays the same needs neither password nor code', async () => {
  await withSecondFactor();
  const body = { firstName: 'Grace', lastName: 'Hopper', email: account.email };
  expect((await call('PUT', '/api/account/profile', body)).status).toBe(200);
});

test('after a reset the passkeys that still sign in are counted, and all are removed in one step', async () => {
  await addPasskey();
  await addPasskey();
  const reset = async () => {
    await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
    const token = await mailedToken(host, account.email);
    const fields = { password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD };
    return send(host, 'POST', '/api/account/reset-password', { token, ...fields });
  };
  expect((await reset()).body).toMatchObject({ message: 'password_reset', passkeys: 2 });
  const { token } = (await logIn({ password: NEW_PASSWORD })).body as { token: string };
  expect((await signInOf(host, token)).passkeys).toHaveLength(2);
  const remove = () => call('DELETE', PASSKEYS, { currentPassword: NEW_PASSWORD }, token);
  expect((await remove()).body).toMatchObject({ message: 'passkeys_removed' });
  expect((await signInOf(host, token)).passkeys).toEqual([]);
  // Repeated posts find nothing left to remove.
  expect((await remove()).status).toBe(200);
  host.clock.advance(2 * STEP_MS);
  expect((await reset()).body).toMatchObject({ passkeys: 0 });
});
