import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PROFILE_CHANGES_PER_ACCOUNT } from '#host/accounts/account-limits';
import { emailDigest } from '#host/accounts/audit';
import { makeMailToken } from '#host/accounts/mail-tokens';
import { createOnboarding } from '#host/accounts/onboarding';
import { accounts, rateLimits } from '#host/db/accounts.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send, subjectsTo } from '../../support/json-calls';

type Asked = { account: TestAccount; resetToken: string };
type Attempt = (host: TestHost, requested: Asked, address: string) => ReturnType<typeof send>;

const WEAK = { password: 'P@ssw0rd123', confirmPassword: 'P@ssw0rd123' };
let host: TestHost;
/** Another node on the same database. */
let other: TestHost;
let lines: string[];

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  host = await createTestHost({ log });
  other = await createTestHost({ log, db: host.db });
});
beforeEach(() => {
  lines = [];
  host.clock.advance(3_600_000);
  other.clock.set(host.clock.now());
});
afterAll(async () => {
  await other.recorder.close();
  await host.close();
});

async function somebody(): Promise<Asked> {
  const account = await host.account();
  const waiting = { pendingEmail: `new-${account.email}` };
  await host.db.orm.update(accounts).set(waiting).where(eq(accounts.id, account.id));
  const link = { accountId: account.id, purpose: 'reset' } as const;
  const resetToken = await makeMailToken(host.db.orm, host.deps.random, link, host.clock.now());
  return { account, resetToken };
}

const post =
  (path: string, bodyOf: (requested: Asked) => object): Attempt =>
  (node, requested, address) => {
    const headers = { 'x-client-ip': address };
    return send(node, 'POST', path, bodyOf(requested), { token: requested.account.token, headers });
  };

const attempts: [what: string, attempt: Attempt, perAccount: number, perAddress: number][] = [
  [
    'a forgotten password',
    post('/api/account/forgot-password', ({ account }) => ({ email: account.email })),
    3,
    20,
  ],
  [
    'the mail of a new account again',
    post('/api/account/onboarding/resend', ({ account }) => ({ email: account.email })),
    3,
    20,
  ],
  ['the mail of a new e-mail again', post('/api/account/email-change/resend', () => ({})), 3, 20],
  [
    'setting a password with a link',
    post('/api/account/reset-password', ({ resetToken: token }) => ({ token, ...WEAK })),
    10,
    60,
  ],
];

/** Never limited per account because of others' attempts: see `tests/host/sign-in/guessing.test.ts`. */
const signingIn: (typeof attempts)[number] = [
  'signing in',
  post('/api/login_check', ({ account }) => ({ email: account.email, password: 'not the password' })),
  5,
  100,
];

function heldBack() {
  return lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === 'held_back');
}

test.each(attempts)('%s is rate limited per account, across clients and nodes', async (_, ...row) => {
  const [attempt, perAccount] = row;
  const requested = await somebody();
  const statuses = [];
  for (let turn = 0; turn < perAccount; turn += 1) {
    statuses.push((await attempt(turn % 2 ? host : other, requested, `203.0.113.${turn}`)).status);
  }
  expect(statuses).not.toContain(429);
  expect(heldBack()).toEqual([]);
  for (const [node, address] of [
    [host, '198.51.100.1'],
    [other, '198.51.100.2'],
  ] as const) {
    const refused = await attempt(node, requested, address);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const { id, email } = requested.account;
  expect(heldBack()).toHaveLength(2);
  for (const line of heldBack()) {
    expect([id, emailDigest(email, host.deps.settings.jwtSecrets)]).toContain(line.account ?? line.email);
  }
  const another = await attempt(host, await somebody(), '198.51.100.3');
  expect(another.status).not.toBe(429);
});

test.each([...attempts, signingIn])(
  '%s is rate limited per client IP, across accounts and nodes',
  async (_, ...row) => {
    const [attempt, , perAddress] = row;
    const address = `192.0.2.${[...attempts, signingIn].findIndex(([, one]) => one === attempt)}`;
    const people = await Promise.all(Array.from({ length: 7 }, somebody));
    // Each account once, to stay below its own limit; the other requests are for accounts that do not exist.
    const nobody = (requested: Asked): Asked => ({
      account: { ...requested.account, email: `${randomUUID()}@test.example` },
      resetToken: 'x'.repeat(43),
    });
    const statuses = [];
    for (let turn = 0; turn < perAddress; turn += 1) {
      const requested = people[turn % 7] as Asked;
      statuses.push(
        (await attempt(turn % 2 ? host : other, turn < 7 ? requested : nobody(requested), address)).status,
      );
    }
    expect(statuses).not.toContain(429);
    const stranger = await somebody();
    expect((await attempt(host, stranger, address)).status).toBe(429);
    expect((await attempt(other, stranger, address)).status).toBe(429);
    expect(heldBack().map((line) => line.clientIp)).toEqual([address, address]);
    expect((await attempt(host, stranger, '198.51.100.4')).status).not.toBe(429);
  },
);

test('resends by link and by address count together, and at most three mails go out', async () => {
  const email = `${randomUUID()}@shop.example`;
  const links: string[] = [];
  for (let bought = 0; bought < 3; bought += 1) {
    const { token } = await createOnboarding(
      host.db.orm,
      host.deps,
      { email, locale: 'gb' },
      host.clock.now(),
    );
    links.push(token ?? '');
  }
  const before = (await subjectsTo(host, email)).length;
  const ask = (body: object) => send(host, 'POST', '/api/account/onboarding/resend', body);
  for (const token of links) expect((await ask({ token })).status).toBe(200);
  for (const token of links) {
    expect((await ask({ token, email: `${randomUUID()}@elsewhere.example` })).status).toBe(200);
  }
  expect(await subjectsTo(host, email)).toHaveLength(before + 3);
  expect(heldBack().map(({ account, reason }) => [typeof account, reason])).toEqual(
    Array(3).fill(['string', 'onboarding-address']),
  );
  expect((await ask({ email })).status).toBe(429);
});

test('a stranger’s wrong passwords slow down the stranger, not the owner', async () => {
  const { account } = await somebody();
  const signIn = (password: string, address: string) => {
    const headers = { 'x-client-ip': address };
    return send(host, 'POST', '/api/login_check', { email: account.email, password }, { headers });
  };
  const statuses = [];
  for (let turn = 0; turn < 12; turn += 1) {
    statuses.push((await signIn('not the password', `2001:db8:5:7::${turn}`)).status);
  }
  expect(statuses).toEqual([...Array(5).fill(401), ...Array(7).fill(429)]);
  expect((await signIn(account.password, '2001:db8:5:7::99')).status).toBe(429);
  expect((await signIn(account.password, '2001:db8:5:8::1')).status).toBe(200);
  host.clock.advance(15_000);
  expect((await signIn(account.password, '2001:db8:5:7::99')).status).toBe(200);
});

test('names are changed 300 times an hour at most, as each change is an activity', async () => {
  const { account } = await somebody();
  const key = `${PROFILE_CHANGES_PER_ACCOUNT.name}:${account.id}`;
  const resetsAt = new Date(host.clock.now().getTime() + 3_600_000);
  await host.db.orm.insert(rateLimits).values({ key, points: 299, resetsAt });
  const rename = (firstName: string) =>
    send(host, 'PUT', '/api/account/profile', { firstName, lastName: 'T', email: account.email }, account);
  expect((await rename('Ada')).status).toBe(200);
  expect((await rename('Bea')).status).toBe(429);
});
