import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts } from '#host/db/accounts.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, mailedToken, send, subjectsTo } from '../../support/json-calls';

let host: TestHost;
let account: TestAccount;
let newEmail: string;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
  newEmail = `new-${account.id}@test.example`;
});
afterAll(() => host.close());

function change(fields: Record<string, unknown> = {}) {
  const body = {
    firstName: 'Ada',
    lastName: 'Tester',
    email: newEmail,
    currentPassword: account.password,
    ...fields,
  };
  return send(host, 'PUT', '/api/account/profile', body, account);
}

function confirm(token: string) {
  return send(host, 'POST', '/api/account/confirm-email', { token }, account);
}

async function profile() {
  const { body } = await send(host, 'GET', '/api/account/profile', undefined, account);
  return body.data as { email: string; pendingEmail: string | null };
}

test('a new e-mail address stays pending until it is confirmed from its own mailbox', async () => {
  const answered = await change();
  expect(answered.body).toMatchObject({
    status: 'success',
    message: 'email_change_requested',
    data: { email: account.email, pendingEmail: newEmail },
  });
  expect((await confirm(await mailedToken(host, newEmail))).body.message).toBe('email_confirmed');
  expect(await profile()).toMatchObject({ email: newEmail, pendingEmail: null });
  expect((await send(host, 'POST', '/api/login_check', { ...account, email: newEmail })).status).toBe(200);
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(401);
});

test('the old address is notified of the request and of the change', async () => {
  await change();
  expect(await subjectsTo(host, account.email)).toEqual(['A change of your e-mail address was requested']);
  host.clock.advance(1000);
  await confirm(await mailedToken(host, newEmail));
  expect((await subjectsTo(host, account.email))[0]).toBe('Your e-mail address was changed');
});

test('the change ends every session but the one its link was opened in', async () => {
  const token = String((await send(host, 'POST', '/api/login_check', account)).body.token);
  await change();
  await send(
    host,
    'POST',
    '/api/account/confirm-email',
    { token: await mailedToken(host, newEmail) },
    { token },
  );
  const status = async (mine: string) =>
    (await send(host, 'GET', '/api/account/profile', undefined, { token: mine })).status;
  expect([await status(token), await status(account.token)]).toEqual([200, 401]);
  host.clock.advance(1000);
  const body = { firstName: 'Ada', lastName: 'Tester', email: `again-${newEmail}` };
  await send(host, 'PUT', '/api/account/profile', { ...body, currentPassword: account.password }, { token });
  const stranger = await host.account();
  const again = { token: await mailedToken(host, `again-${newEmail}`) };
  expect((await send(host, 'POST', '/api/account/confirm-email', again, stranger)).status).toBe(200);
  expect([await status(token), await status(stranger.token)]).toEqual([401, 200]);
});

test.each([
  ['no', { currentPassword: undefined }, 'current_password_required'],
  ['an empty', { currentPassword: '' }, 'current_password_required'],
  ['a wrong', { currentPassword: 'not mine at all' }, 'password_wrong'],
])('requesting a new e-mail address with %s password changes nothing', async (_, fields, code) => {
  const answered = await change({ firstName: 'Mallory', ...fields });
  expect(answered.status).toBe(422);
  expect(answered.body.errors).toEqual({ currentPassword: [code] });
  expect(await profile()).toMatchObject({ firstName: 'Ada', pendingEmail: null });
});

test('after ten wrong passwords the eleventh attempt is refused', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    expect((await change({ currentPassword: 'wrong one' })).status).toBe(422);
  }
  expect((await change()).status).toBe(429);
});

test('names change without a password, and a different letter case is no new e-mail address', async () => {
  const answered = await change({
    firstName: ' Grace ',
    email: account.email.toUpperCase(),
    currentPassword: undefined,
  });
  expect(answered.body).toMatchObject({
    message: 'profile_updated',
    data: { firstName: 'Grace', pendingEmail: null },
  });
  const overview = await send(host, 'GET', '/api/dashboard/overview', undefined, account);
  expect(overview.body.data).toMatchObject({ recentActivities: [{ type: 'account_updated_profile' }] });
});

test('an address in use gets the same response; only its owner is notified', async () => {
  const other = await host.account();
  const free = await change();
  const taken = await change({ email: other.email });
  expect(taken.status).toBe(free.status);
  expect({ ...taken.body, data: null }).toEqual({ ...free.body, data: null });
  expect(await subjectsTo(host, other.email)).toEqual(['This address already has an account']);
  await expect(mailedToken(host, other.email)).rejects.toThrow('no link');
});

test('an address taken in the meantime is refused and the link stays unused', async () => {
  await change();
  const token = await mailedToken(host, newEmail);
  const rival = await host.account();
  await host.db.orm.update(accounts).set({ email: newEmail }).where(eq(accounts.id, rival.id));
  expect((await confirm(token)).body.errors).toEqual({ token: ['email_taken'] });
  expect((await confirm(token)).body.errors).toEqual({ token: ['email_taken'] });
});

test('a confirmation works once and for a day, even when sent concurrently', async () => {
  await change();
  const token = await mailedToken(host, newEmail);
  const answers = await Promise.all([confirm(token), confirm(token)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await subjectsTo(host, account.email)).toHaveLength(2);
  host.clock.advance(60_001);
  expect((await confirm(token)).body.errors).toEqual({ token: ['token_used'] });
  await change({ email: `later-${newEmail}` });
  const late = await mailedToken(host, `later-${newEmail}`);
  host.clock.advance(24 * 3_600_000);
  expect((await confirm(late)).body.errors).toEqual({ token: ['token_expired'] });
});

test('resending the confirmation replaces the previous link', async () => {
  await change();
  const first = await mailedToken(host, newEmail);
  host.clock.advance(1000);
  const again = await send(host, 'POST', '/api/account/email-change/resend', undefined, account);
  expect(again.body).toEqual({ status: 'success', message: 'email_change_sent' });
  expect((await confirm(first)).body.errors).toEqual({ token: ['token_expired'] });
  expect((await confirm(await mailedToken(host, newEmail))).status).toBe(200);
});

test('a cancelled change can no longer be confirmed', async () => {
  await change();
  const token = await mailedToken(host, newEmail);
  const cancelled = await send(host, 'DELETE', '/api/account/email-change', undefined, account);
  expect(cancelled.body.message).toBe('email_change_cancelled');
  expect((await profile()).pendingEmail).toBeNull();
  expect((await confirm(token)).body.errors).toEqual({ token: ['token_expired'] });
  expect((await send(host, 'DELETE', '/api/account/email-change', undefined, account)).status).toBe(404);
  expect((await send(host, 'POST', '/api/account/email-change/resend', undefined, account)).status).toBe(404);
});

test('only the newest of two requested addresses can be confirmed', async () => {
  await change();
  const first = await mailedToken(host, newEmail);
  await change({ email: `second-${newEmail}` });
  expect((await confirm(first)).body.errors).toEqual({ token: ['token_expired'] });
});

const GOOD = { firstName: 'Ada', lastName: 'Tester', email: 'a@b.example' };
test.each(brokenBodies(GOOD, ['firstName', 'lastName', 'email']))(
  'the profile refuses %s that is %s',
  async (field, _, body) => {
    const answered = await send(host, 'PUT', '/api/account/profile', body, account);
    expect([answered.status, Object.keys(answered.body.errors ?? {})]).toEqual([422, [field]]);
  },
);

test.each([['line\nbreak'], ['a\u007fb']])(
  'a name with a control character is refused',
  async (firstName) => {
    expect((await change({ firstName })).body.errors).toEqual({ firstName: ['first_name_invalid'] });
  },
);

test('unknown fields of a profile are not stored', async () => {
  await change({ email: account.email, roles: ['ROLE_ADMIN'], passwordHash: 'x', deletedAt: '2026-01-01' });
  const [kept] = await host.db.orm.select().from(accounts).where(eq(accounts.id, account.id));
  expect(kept).toMatchObject({ roles: ['ROLE_USER'], deletedAt: null });
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(200);
});
