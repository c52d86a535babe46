import { eq, or } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY_MS } from '#contract/time';
import { eraseCodes } from '#host/codes/code/erase';
import { NO_ROUTING } from '#host/codes/routing/routing';
import { accounts, identities, knownDevices, rateLimits } from '#host/db/accounts.tables';
import { codes } from '#host/db/codes.tables';
import { passkeys } from '#host/db/factors.tables';
import { mails } from '#host/db/mail.tables';
import { codeTotals, visitHours, visitorDays, visits } from '#host/db/visits.tables';
import type { Deps } from '#host/http/deps';
import { eraseSingleVisits } from '#host/visits/count/retention';
import { KEPT, rowsOf } from '../../support/account-rows';
import { setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { mailedToken, send, subjectsTo } from '../../support/json-calls';

const reported: string[] = [];
const onAccountDeleted: Deps['onAccountDeleted'] = [
  async (_orm, accountId) => {
    reported.push(accountId);
    if (failing) throw new Error('the payment provider is away');
  },
];
let failing = false;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost({ onAccountDeleted });
});
beforeEach(async () => {
  failing = false;
  reported.length = 0;
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

function erase(body: unknown = { password: account.password }, token = account.token) {
  return send(host, 'DELETE', '/api/account', body, { token });
}

async function fill() {
  const code = await host.code(account.id, { content: 'https://private-life.example/' });
  const style = { frame: 'badge', caption: 'Hiddenham' };
  const change = { content: 'https://other-secret.example/', style };
  await send(host, 'PATCH', `/api/qrcodes/${code.id}`, change, account);
  await send(host, 'POST', '/api/styles', { name: 'Secret', style }, account);
  await send(host, 'POST', '/api/jobs', { act: 'style', style, ids: [code.id] }, account);
  const address = { street: '1 Secret Street', city: 'Hiddenham', postal_code: '75011', country: 'FR' };
  await send(host, 'POST', '/api/account/billing-addresses', address, account);
  const { orm } = host.db;
  const at = host.clock.now();
  const kind = { source: 'scan', class: 'human' } as const;
  await orm.insert(visitHours).values({ codeId: code.id, hour: at, ...kind, count: 3 });
  await orm.insert(visitorDays).values({ codeId: code.id, day: '2026-03-02', visitor: 5n });
  await orm.insert(codeTotals).values({ codeId: code.id, scans: 3, clicks: 0, others: 0 });
  await orm.insert(visits).values({
    codeId: code.id,
    at,
    ...kind,
    outcome: 'served',
    device: 'mobile',
    os: 'ios',
    language: 'en',
    country: 'FR',
  });
  await orm.insert(identities).values({
    issuer: 'https://accounts.google.com',
    subject: account.id,
    accountId: account.id,
    createdAt: at,
  });
  return code;
}

/** The tables that still contain one of the words, as `table: word`. */
async function tracesOf(words: string[]): Promise<string[]> {
  const tables = (await host.db.orm.execute(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )) as unknown as { rows: { name: string }[] };
  const found: string[] = [];
  for (const { name } of tables.rows) {
    // The confirmation of the erasure is the one mail that is still to be sent.
    const but = name === 'mails' ? "where template <> 'account-mail.account_deleted'" : '';
    const all = await host.db.orm.execute(`select * from "${name}" ${but}`);
    const { rows } = all as unknown as { rows: unknown[] };
    const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    found.push(...words.filter((word) => text.includes(word)).map((word) => `${name}: ${word}`));
  }
  return found;
}

test('erasing an account leaves no trace of the person in any table', async () => {
  const code = await fill();
  expect((await tracesOf([account.email, 'Secret', 'private-life', 'other-secret'])).length).toBeGreaterThan(
    3,
  );
  expect((await erase()).body).toEqual({ status: 'success', message: 'account_deleted' });
  expect(
    await tracesOf([account.email, 'Secret', 'Hiddenham', 'private-life', 'other-secret', 'Ada']),
  ).toEqual([]);
  await eraseSingleVisits(host.db.orm, host.clock.now());
  for (const table of [visits, visitHours, visitorDays, codeTotals]) {
    expect(await host.db.orm.select().from(table).where(eq(table.codeId, code.id))).toEqual([]);
  }
});

test('only tables with a duty to keep them retain rows of an erased account', async () => {
  await fill();
  const {
    recoveryCodes: [code],
  } = await setUpAuthenticator(host, account);
  const own = { id: account.id, accountId: account.id, createdAt: host.clock.now() };
  await host.db.orm.insert(passkeys).values({
    ...own,
    credentialId: account.id,
    publicKey: new Uint8Array([1]),
    counter: 0,
    transports: [],
    name: 'My key',
  });
  await host.db.orm.insert(knownDevices).values({ ...own, hash: account.id, lastSignInAt: own.createdAt });
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const link = await mailedToken(host, account.email);
  const filled = await rowsOf(host, account.id);
  expect(Object.keys(filled)).toEqual(
    expect.arrayContaining([
      'mail_tokens',
      'sessions',
      'identities',
      'activities',
      'billing_addresses',
      'code_blocks',
      'totp_secrets',
      'recovery_codes',
      'passkeys',
      'known_devices',
      'styles',
      'code_jobs',
      ...KEPT,
    ]),
  );
  expect((await erase({ password: account.password, code })).status).toBe(200);
  expect(Object.keys(await rowsOf(host, account.id)).sort()).toEqual(KEPT);
  const requested = await send(host, 'POST', '/api/account/mail-token', { token: link, purpose: 'reset' });
  expect(requested.body.errors).toEqual({ token: ['token_unknown'] });
});

test('the owner gets a receipt, and the session ends', async () => {
  await erase();
  expect(await subjectsTo(host, account.email)).toEqual(['Your account has been deleted']);
  expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(401);
  expect((await send(host, 'POST', '/api/login_check', account)).status).toBe(401);
  const forgotten = await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  expect(forgotten.status).toBe(200);
  expect(await subjectsTo(host, account.email)).toHaveLength(1);
});

test('the only mail left to the address is the confirmation of the erasure', async () => {
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const declared = { name: 'Ada Secret', email: account.email, confirmed: true };
  await send(host, 'POST', '/api/contract/cancel', declared);
  await host.runBilling();
  expect((await subjectsTo(host, account.email)).length).toBeGreaterThan(1);
  expect((await erase()).status).toBe(200);
  const left = await host.db.orm
    .select()
    .from(mails)
    .where(or(eq(mails.to, account.email), eq(mails.replyTo, account.email)));
  expect(left.map(({ template }) => template)).toEqual(['account-mail.account_deleted']);
});

async function changeEmail(email: string, isConfirmed: boolean, { token, password } = account) {
  const change = { firstName: 'Ada', lastName: 'Secret', email, currentPassword: password };
  await send(host, 'PUT', '/api/account/profile', change, { token });
  if (isConfirmed) {
    const link = { token: await mailedToken(host, email) };
    expect((await send(host, 'POST', '/api/account/confirm-email', link, { token })).status).toBe(200);
  }
  host.clock.advance(1000);
}

test('no mail is left to former addresses or to ones that were never confirmed', async () => {
  await changeEmail(`second-${account.email}`, true);
  await changeEmail(`third-${account.email}`, true);
  await changeEmail(`cancelled-${account.email}`, false);
  await changeEmail(`pending-${account.email}`, false);
  expect((await erase()).status).toBe(200);
  expect(await tracesOf([account.email])).toEqual([]);
  const left = await host.db.orm.select().from(mails);
  const ours = left.filter(({ to }) => to.includes(account.email));
  expect(ours.map(({ to, template }) => [to, template])).toEqual([
    [`third-${account.email}`, 'account-mail.account_deleted'],
  ]);
});

test('mails to other accounts stay, even at addresses this account requested or once had', async () => {
  const [requested, next] = [await host.account(), await host.account()];
  await send(host, 'POST', '/api/account/forgot-password', { email: requested.email });
  await subjectsTo(host, requested.email);
  await changeEmail(requested.email, false);
  await changeEmail(`second-${account.email}`, true);
  await changeEmail(account.email, true, next);
  expect((await erase()).status).toBe(200);
  expect(await subjectsTo(host, requested.email)).toEqual([
    'This address already has an account',
    'Set a new password',
  ]);
  expect(await subjectsTo(host, account.email)).toContain('Confirm your new e-mail address');
});

test('mails with a blanked recipient do not match those of other accounts', async () => {
  await changeEmail(`second-${account.email}`, true);
  const other = await host.account();
  await changeEmail(`second-${other.email}`, true, other);
  const theirs = eq(mails.to, other.email);
  const before = await host.db.orm.update(mails).set({ to: '' }).where(theirs).returning({ id: mails.id });
  await host.db.orm.update(mails).set({ to: '' }).where(eq(mails.to, account.email));
  expect((await erase()).status).toBe(200);
  const left = await host.db.orm.select({ id: mails.id }).from(mails).where(eq(mails.to, ''));
  expect(left).toEqual(expect.arrayContaining(before));
});

test('its codes are reported as deleted, and their slugs stay taken', async () => {
  const code = await fill();
  expect((await host.request(`/r/${code.slug}`)).status).toBe(302);
  await erase();
  const answered = async () => {
    const answer = await host.request(`/r/${code.slug}`, { headers: { accept: 'application/json' } });
    return [answer.status, answer.status === 302 ? '' : (await answer.json()).code];
  };
  // Polled until the notification arrives, which may take long on a busy machine.
  await expect.poll(answered, { timeout: 15_000 }).toEqual([404, 'code_deleted']);
  const rival = await host.account();
  await expect(host.code(rival.id, { slug: code.slug })).rejects.toThrow();
});

describe('an owner who lets printed links go on', () => {
  /** A code whose last visit was this many days ago. */
  async function visited(daysAgo: number, fields: Parameters<TestHost['code']>[1] = {}) {
    const code = await host.code(account.id, fields);
    const lastAt = new Date(host.clock.now().getTime() - daysAgo * DAY_MS);
    await host.db.orm.insert(codeTotals).values({ codeId: code.id, scans: 3, clicks: 0, others: 0, lastAt });
    return code;
  }
  const rowOf = async (id: string) =>
    (await host.db.orm.select().from(codes).where(eq(codes.id, id)))[0] ?? expect.unreachable();

  test('keeps those that were visited within a year, and no others', async () => {
    const content = 'https://menu.example/';
    const lately = await visited(364, { content, name: 'Hiddenham' });
    await send(host, 'PATCH', `/api/qrcodes/${lately.id}`, { archived: true }, account);
    const store = 'https://apps.apple.com/app/id123456789';
    const app = await visited(1, { type: 'app', content: JSON.stringify({ appStore: store }) });
    const others = await Promise.all([
      visited(367),
      visited(1, { visibility: 'private' }),
      visited(1, { blockedAt: host.clock.now() }),
      visited(1, { type: 'text', content: 'private-life' }),
      host.code(account.id),
    ]);
    expect((await erase({ password: account.password, keepsLinks: true })).status).toBe(200);
    expect(await rowOf(lately.id)).toMatchObject({ content, name: null, archivedAt: null, deletedAt: null });
    for (const { id } of others)
      expect(await rowOf(id)).toMatchObject({ content: '', deletedAt: host.clock.now() });
    expect((await host.request(`/r/${lately.slug}`)).headers.get('location')).toBe(content);
    const phone = { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148' };
    expect((await host.request(`/r/${app.slug}`, { headers: phone })).headers.get('location')).toBe(store);
    expect(await tracesOf([account.email, 'Hiddenham', 'private-life'])).toEqual([]);
  });

  test('keeps the end of a code that has a date, and not the number of visits at which it would end', async () => {
    const at = new Date(host.clock.now().getTime() + DAY_MS).toISOString();
    const end = { at, visits: null, message: 'Hiddenham', target: null, route: 1, reachedAt: null };
    const set = { setAt: host.clock.now().toISOString(), noticedAt: null };
    const routed = (changed: object) => ({ routing: { ...NO_ROUTING, end: { ...end, ...set, ...changed } } });
    const dated = await visited(1, routed({}));
    const both = await visited(1, routed({ visits: 10 }));
    await erase({ password: account.password, keepsLinks: true });
    for (const { id } of [dated, both])
      expect((await rowOf(id)).routing).toEqual(routed({ message: '' }).routing);
    const leadsTo = async () => (await host.request(`/r/${dated.slug}`)).headers.get('location');
    expect(await leadsTo()).toBe(dated.content);
    host.clock.advance(DAY_MS);
    expect(await leadsTo()).not.toBe(dated.content);
  });

  test('leaves nothing that says whose they were, and they are no longer counted', async () => {
    const { id, slug } = await visited(1);
    await host.request(`/r/${slug}`);
    await erase({ password: account.password, keepsLinks: true });
    await eraseSingleVisits(host.db.orm, host.clock.now());
    const { accountId } = await rowOf(id);
    expect(accountId).not.toBe(account.id);
    expect(Object.keys(await rowsOf(host, account.id))).not.toContain('codes');
    const [nobody] = await host.db.orm.select().from(accounts).where(eq(accounts.id, accountId));
    expect(nobody).toMatchObject({ email: '', codeCount: 0, deletedAt: host.clock.now() });
    expect((await host.request(`/r/${slug}`)).status).toBe(302);
    for (const table of [visits, visitHours, visitorDays, codeTotals])
      expect(await host.db.orm.select().from(table).where(eq(table.codeId, id))).toEqual([]);
  });
});

test('no row comes back for each of its codes when every node is notified', async () => {
  await Promise.all([host.code(account.id), host.code(account.id)]);
  await host.db.orm.transaction(async (orm) => {
    const execute = vi.spyOn(orm, 'execute');
    await eraseCodes(orm, account.id, { now: host.clock.now(), leadingIds: [] });
    const [notified] = await Promise.all(execute.mock.results.map(({ value }) => value));
    expect(notified.rows).toHaveLength(1);
  });
});

test('the same e-mail address can buy again and starts with an empty account', async () => {
  await fill();
  await erase();
  await host.db.orm.insert(accounts).values({
    id: crypto.randomUUID(),
    email: account.email,
    createdAt: host.clock.now(),
  });
  const [again] = await host.db.orm.select().from(accounts).where(eq(accounts.email, account.email));
  expect(
    await host.db.orm
      .select()
      .from(codes)
      .where(eq(codes.accountId, again?.id ?? '')),
  ).toEqual([]);
});

test('other resources take part in the same transaction, and can abort it', async () => {
  failing = true;
  const before = await fill();
  expect((await erase()).status).toBe(500);
  expect(reported).toEqual([account.id]);
  const kept = await send(host, 'GET', `/api/qrcodes/${before.id}`, undefined, account);
  expect(kept.status).toBe(200);
  failing = false;
  expect((await erase()).status).toBe(200);
});

test.each([
  ['no', {}, 'password_required'],
  ['an empty', { password: '' }, 'password_required'],
  ['a wrong', { password: 'not mine' }, 'password_wrong'],
])('%s password erases nothing', async (_, body, code) => {
  const refused = await erase(body);
  expect([refused.status, refused.body.errors]).toEqual([422, { password: [code] }]);
  expect((await send(host, 'GET', '/api/account/profile', undefined, account)).status).toBe(200);
});

test.each([[7], [null], [['x']], [{}], ['x'.repeat(129)]])(
  'a password that is %j is refused',
  async (password) => {
    expect((await erase({ password })).status).toBe(422);
  },
);

test('an account without a password needs a sign-in within the last ten minutes', async () => {
  await host.db.orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, account.id));
  host.clock.advance(10 * 60_000 + 1);
  expect((await erase({})).body.errors).toEqual({ password: ['recent_sign_in_required'] });
  const fresh = await host.account();
  await host.db.orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, fresh.id));
  host.clock.advance(10 * 60_000);
  expect((await erase({}, fresh.token)).status).toBe(200);
});

test('two concurrent erasures erase once', async () => {
  const answers = await Promise.all([erase(), erase()]);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(reported).toHaveLength(1);
  const receipts = await host.db.orm.select().from(mails).where(eq(mails.to, account.email));
  expect(receipts).toHaveLength(1);
});

test('other accounts are untouched', async () => {
  const other = await host.account();
  const theirs = await host.code(other.id);
  await fill();
  await erase();
  const kept = await send(host, 'GET', `/api/qrcodes/${theirs.id}`, undefined, other);
  expect(kept.body.data).toMatchObject({ code: { content: 'https://destination.example/' } });
});

test('rate limits contain no addresses in clear text', async () => {
  await send(host, 'POST', '/api/login_check', { email: account.email, password: 'wrong one' });
  await send(host, 'POST', '/api/account/forgot-password', { email: account.email });
  const kept = await host.db.orm.select().from(rateLimits);
  expect(kept.length).toBeGreaterThan(0);
  expect(JSON.stringify(kept)).not.toContain('@');
});
