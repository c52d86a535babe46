import { eq, isNull } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '#contract/time';
import { grantAccess } from '#host/accounts/store';
import { accounts, knownDevices, mailTokens, rateLimits, sessions } from '#host/db/accounts.tables';
import { codeTotals } from '#host/db/visits.tables';
import { dropOldAccountData } from '#host/privacy/account-retention';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { interruptible } from '../../support/interrupted-database';
import { mailedToken, send, subjectsTo } from '../../support/json-calls';

const START = new Date('2026-03-02T10:00:00.000Z');

let host: TestHost;
let account: TestAccount;
let interrupt: ReturnType<typeof interruptible>['interrupt'];

beforeAll(async () => {
  const interrupted = interruptible(await openFresh());
  interrupt = interrupted.interrupt;
  host = await createTestHost({ db: interrupted.db });
});
beforeEach(async () => {
  host.clock.set(START);
  account = await host.account({ access: false });
});
afterAll(() => host.close());

/** Drops what is due on that day; returns the names of the audited events. */
async function on(date: string): Promise<string[]> {
  const events: string[] = [];
  const write = (line: string) => events.push(JSON.parse(line).audit);
  host.clock.set(new Date(`${date}T12:00:00.000Z`));
  await dropOldAccountData({ ...host.deps, log: pino({}, { write }) }, host.clock.now());
  return events;
}

async function isThere() {
  const [row] = await host.db.orm.select().from(accounts).where(eq(accounts.id, account.id));
  return row?.deletedAt === null;
}

test('the owner of an account unused for three years is notified, then it is erased', async () => {
  await on('2029-01-30');
  expect(await subjectsTo(host, account.email)).toEqual([]);
  await on('2029-02-01');
  expect(await subjectsTo(host, account.email)).toEqual(['Your account will be deleted on 3 March 2029']);
  await on('2029-02-02');
  expect(await subjectsTo(host, account.email)).toHaveLength(1);
  await on('2029-03-02');
  expect(await isThere()).toBe(true);
  expect(await on('2029-03-04')).toContain('account_expired');
  expect(await isThere()).toBe(false);
  expect((await subjectsTo(host, account.email))[0]).toBe('Your account has been deleted');
});

test('its link codes that were visited within the last year go on leading where they led', async () => {
  const [visited, unused] = [await host.code(account.id), await host.code(account.id)];
  const lastAt = new Date('2028-04-01T10:00:00.000Z');
  await host.db.orm.insert(codeTotals).values({ codeId: visited.id, scans: 3, clicks: 0, others: 0, lastAt });
  await on('2029-02-01');
  await on('2029-03-04');
  expect(await isThere()).toBe(false);
  const statusOf = async ({ slug }: { slug: string }) =>
    (await host.request(`/r/${slug}`, { headers: { accept: 'application/json' } })).status;
  expect(await Promise.all([visited, unused].map(statusOf))).toEqual([302, 404]);
});

test('three years and thirty days are whole, to the moment', async () => {
  const run = async (at: string) => {
    host.clock.set(new Date(at));
    await dropOldAccountData(host.deps, host.clock.now());
    return (await subjectsTo(host, account.email)).length;
  };
  // Thirty days before three years after its only sign-in.
  expect(await run('2029-01-31T10:00:00.000Z')).toBe(0);
  expect(await run('2029-01-31T10:00:00.001Z')).toBe(1);
  await run('2029-03-02T10:00:00.001Z');
  expect(await isThere()).toBe(true);
  await run('2029-03-02T10:00:00.002Z');
  expect(await isThere()).toBe(false);
});

test('the notice names the day of the deletion in the time zone of the account', async () => {
  const body = { timeZone: 'Pacific/Kiritimati' };
  expect((await send(host, 'PUT', '/api/account/time-zone', body, account)).status).toBe(200);
  await on('2029-02-01');
  expect(await subjectsTo(host, account.email)).toEqual(['Your account will be deleted on 4 March 2029']);
});

test('one sign-in keeps the account, and its owner is notified again later', async () => {
  await on('2029-02-01');
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(200);
  await on('2029-03-10');
  expect(await isThere()).toBe(true);
  await on('2032-01-15');
  expect(await subjectsTo(host, account.email)).toHaveLength(2);
});

test('an account is never erased less than thirty days after the notice', async () => {
  await on('2033-05-01');
  expect(await isThere()).toBe(true);
  await on('2033-05-20');
  expect(await isThere()).toBe(true);
  await on('2033-06-02');
  expect(await isThere()).toBe(false);
});

test('paid time counts as use', async () => {
  const accessUntil = new Date('2028-06-01T00:00:00.000Z');
  await grantAccess(host.db.orm, account.id, { plan: 'basic_yearly', status: 'expired', accessUntil });
  await on('2029-06-01');
  await on('2029-12-01');
  expect(await subjectsTo(host, account.email)).toEqual([]);
  await on('2031-06-01');
  await on('2031-07-05');
  expect(await isThere()).toBe(false);
});

async function signIn() {
  // Left by attempts of other tests at later times.
  await host.db.orm.delete(rateLimits);
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(200);
}

test('an account is kept if its owner signs in while old accounts are being erased', async () => {
  await on('2029-02-01');
  interrupt(signIn);
  expect(await on('2029-03-10')).not.toContain('account_expired');
  expect(await isThere()).toBe(true);
});

test('signing in while notices are written prevents the notice, and the next one gives thirty days again', async () => {
  interrupt(signIn);
  await on('2029-02-01');
  expect(await subjectsTo(host, account.email)).toEqual([]);
  await on('2032-01-15');
  expect(await subjectsTo(host, account.email)).toHaveLength(1);
  await on('2032-02-02');
  expect(await isThere()).toBe(true);
});

test('a notice from before the last paid period no longer counts', async () => {
  await on('2029-02-01');
  const accessUntil = new Date('2030-02-10T00:00:00.000Z');
  await grantAccess(host.db.orm, account.id, { plan: 'basic_yearly', status: 'expired', accessUntil });
  await on('2033-02-20');
  expect(await isThere()).toBe(true);
  expect(await subjectsTo(host, account.email)).toEqual([
    'Your account will be deleted on 22 March 2033',
    'Your account will be deleted on 3 March 2029',
  ]);
  await on('2033-03-20');
  expect(await isThere()).toBe(true);
  await on('2033-03-23');
  expect(await isThere()).toBe(false);
});

test('a device that nobody signed in on for a year is forgotten', async () => {
  await send(host, 'POST', '/api/login_check', account);
  const kept = () => host.db.orm.select().from(knownDevices).where(eq(knownDevices.accountId, account.id));
  host.clock.advance(365 * DAY_MS);
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await kept()).toHaveLength(1);
  host.clock.advance(1);
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await kept()).toEqual([]);
});

test.each([
  ['expired', { expiresAt: START }],
  ['were ended', { expiresAt: new Date(START.getTime() + 300 * DAY_MS), revokedAt: START }],
])('sessions that %s are kept for thirty days, and not for longer', async (_, fields) => {
  await host.db.orm.update(sessions).set(fields).where(eq(sessions.accountId, account.id));
  const kept = () => host.db.orm.select().from(sessions).where(eq(sessions.accountId, account.id));
  host.clock.set(new Date(START.getTime() + 30 * DAY_MS));
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await kept()).toHaveLength(1);
  host.clock.advance(1);
  await dropOldAccountData(host.deps, host.clock.now());
  expect(await kept()).toEqual([]);
});

test('links, sessions and rate limits are dropped when they are no longer needed', async () => {
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const token = await mailedToken(host, account.email);
  const ask = () => send(host, 'POST', '/api/account/mail-token', { token, purpose: 'reset' });
  host.clock.advance(80 * DAY_MS);
  await dropOldAccountData(host.deps, host.clock.now());
  expect((await ask()).body.errors).toEqual({ token: ['token_expired'] });
  const sessionsLeft = eq(sessions.accountId, account.id);
  expect(await host.db.orm.select().from(sessions).where(sessionsLeft)).toEqual([]);
  host.clock.advance(11 * DAY_MS);
  await dropOldAccountData(host.deps, host.clock.now());
  const tokensLeft = eq(mailTokens.accountId, account.id);
  expect(await host.db.orm.select().from(mailTokens).where(tokensLeft)).toEqual([]);
  expect(await host.db.orm.select().from(rateLimits)).toEqual([]);
  expect((await ask()).body.errors).toEqual({ token: ['token_unknown'] });
});

test('an account that cannot be erased does not block the others', async () => {
  const kept = await host.account({ access: false });
  const refuse = async (_: unknown, id: string) => {
    if (id === kept.id) throw new Error('still needed');
  };
  host.deps.onAccountDeleted.push(refuse);
  await on('2029-02-01');
  host.clock.set(new Date('2029-03-04T12:00:00.000Z'));
  await expect(dropOldAccountData(host.deps, host.clock.now())).rejects.toThrow('1 of 10 failed');
  const left = await host.db.orm.select().from(accounts).where(isNull(accounts.deletedAt));
  expect(left.map(({ id }) => id)).toEqual([kept.id]);
  host.deps.onAccountDeleted.pop();
});
