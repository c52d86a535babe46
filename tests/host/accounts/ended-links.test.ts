import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '#contract/time';
import { findMailToken, hashToken } from '#host/accounts/mail-tokens';
import { createOnboarding } from '#host/accounts/onboarding';
import { accounts } from '#host/db/accounts.tables';
import { confirmEmailChange } from '#host/sign-in/email-change';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { mailedToken, send } from '../../support/json-calls';

const NEW = 'seven green boats at dawn';

let host: TestHost;
let account: TestAccount;
let newEmail: string;
/** Runs during the lookup of breached passwords: after the link was read, before it is used. */
let meanwhile: () => unknown;

beforeAll(async () => {
  host = await createTestHost({
    settings: { breachedPasswordsUrl: 'https://breached.example/range' },
    fetch: async () => {
      await meanwhile();
      return new Response('');
    },
  });
});
beforeEach(async () => {
  meanwhile = () => undefined;
  host.clock.advance(60 * MINUTE_MS);
  account = await host.account();
  newEmail = `new-${account.id}@test.example`;
});
afterAll(() => host.close());

const forget = () => send(host, 'POST', '/api/account/forgot-password', { email: account.email });
const check = (token: string, purpose: string) =>
  send(host, 'POST', '/api/account/mail-token', { token, purpose });
const cancel = () => send(host, 'DELETE', '/api/account/email-change', undefined, account);

function reset(token: string) {
  return send(host, 'POST', '/api/account/reset-password', { token, password: NEW, confirmPassword: NEW });
}

async function changeEmail(): Promise<string> {
  const body = { firstName: 'A', lastName: 'B', email: newEmail, currentPassword: account.password };
  await send(host, 'PUT', '/api/account/profile', body, account);
  return mailedToken(host, newEmail);
}

async function emailNow(): Promise<string | undefined> {
  const [row] = await host.db.orm.select().from(accounts).where(eq(accounts.id, account.id));
  return row?.email;
}

test.each([
  ['expires', () => host.clock.advance(30 * MINUTE_MS)],
  [
    'is replaced by a newer one',
    async () => {
      await forget();
      await mailedToken(host, account.email);
    },
  ],
])('a reset link that %s while the password is checked changes nothing', async (_, end) => {
  await forget();
  const token = await mailedToken(host, account.email);
  meanwhile = end;
  expect((await reset(token)).body.errors).toEqual({ token: ['token_expired'] });
  meanwhile = () => undefined;
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(200);
});

test('an onboarding link that expires while the password is checked sets up no account', async () => {
  const email = `buyer-${account.id}@test.example`;
  const buyer = { email, locale: 'gb' as const };
  const { token, accountId } = await createOnboarding(host.db.orm, host.deps, buyer, host.clock.now());
  meanwhile = () => host.clock.advance(7 * 24 * 60 * MINUTE_MS);
  const body = { token, firstName: 'Ada', lastName: 'Byron', password: NEW, confirmPassword: NEW };
  const answered = await send(host, 'POST', '/api/account/onboarding', body);
  expect(answered.body.errors).toEqual({ token: ['token_expired'] });
  const [row] = await host.db.orm.select().from(accounts).where(eq(accounts.id, accountId));
  expect(row?.passwordHash).toBeNull();
});

test('an account erased while the new password is checked stays erased', async () => {
  await forget();
  const token = await mailedToken(host, account.email);
  meanwhile = () => send(host, 'DELETE', '/api/account', { password: account.password }, account);
  expect((await reset(token)).body.errors).toEqual({ token: ['token_unknown'] });
  const [row] = await host.db.orm.select().from(accounts).where(eq(accounts.id, account.id));
  expect(row).toMatchObject({ email: '', passwordHash: null });
});

test('after an e-mail change is cancelled, the page of its link says so too', async () => {
  const token = await changeEmail();
  expect((await check(token, 'email_change')).status).toBe(200);
  await cancel();
  expect((await check(token, 'email_change')).body.errors).toEqual({ token: ['token_expired'] });
});

test('cancelling an e-mail change invalidates no other link', async () => {
  await forget();
  const other = await mailedToken(host, account.email);
  await changeEmail();
  await cancel();
  expect((await check(other, 'reset')).status).toBe(200);
});

test('an e-mail change that is cancelled between reading and using its link is not made', async () => {
  const now = host.clock.now();
  const link = await findMailToken(host.db.orm, hashToken(await changeEmail()), 'email_change');
  if (!link) throw new Error('the link is unknown');
  await cancel();
  const confirming = confirmEmailChange(host.db.orm, link, undefined, now);
  await expect(confirming).rejects.toMatchObject({ fields: { token: ['token_expired'] } });
  expect(await emailNow()).toBe(account.email);
});

test('a link confirms only the currently pending address', async () => {
  const token = await changeEmail();
  const pendingEmail = 'another@test.example';
  await host.db.orm.update(accounts).set({ pendingEmail }).where(eq(accounts.id, account.id));
  const answered = await send(host, 'POST', '/api/account/confirm-email', { token }, account);
  expect(answered.body.errors).toEqual({ token: ['token_expired'] });
  expect(await emailNow()).toBe(account.email);
});
