import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { sessions } from '#host/db/accounts.tables';
import { createSession } from '#host/sign-in/sessions';
import { signToken } from '#host/sign-in/tokens';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, NON_OBJECT_BODIES, send, signInOf } from '../../support/json-calls';

const LAPTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:138.0) Gecko/20100101 Firefox/138.0';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
beforeEach(async () => {
  host.clock.advance(HOUR_MS);
  account = await host.account();
});
afterAll(() => host.close());

async function signIn(remember = false) {
  const body = { email: account.email, password: account.password, remember };
  const answered = await send(host, 'POST', '/api/login_check', body, { headers: { 'user-agent': LAPTOP } });
  return answered.body.token ?? '';
}

async function list(token = account.token) {
  return (await signInOf(host, token)).sessions;
}

async function isSignedIn(token: string) {
  return (await send(host, 'GET', '/api/account/profile', undefined, { token })).status === 200;
}

test('the list describes devices in words and marks the current session', async () => {
  host.clock.advance(1000);
  const token = await signIn(true);
  expect(await list(token)).toMatchObject([
    { current: true, remember: true, device: { browser: 'Firefox', system: 'Windows', kind: 'desktop' } },
    { current: false, device: { browser: '', system: '', kind: 'unknown' } },
  ]);
});

test('the last use of a session is written at most once in five minutes', async () => {
  const [before] = await list();
  host.clock.advance(4 * 60_000);
  expect((await list())[0]?.lastSeenAt).toBe(before?.lastSeenAt);
  host.clock.advance(60_000 + 1);
  expect((await list())[0]?.lastSeenAt).toBe(host.clock.now().toISOString());
});

test('one device is signed out and the others stay', async () => {
  const token = await signIn();
  const other = (await list()).find(({ current }) => !current);
  const ended = await send(host, 'DELETE', `/api/account/sessions/${other?.id}`, undefined, account);
  expect(ended.body).toEqual({ status: 'success', message: 'session_ended' });
  expect([await isSignedIn(token), await isSignedIn(account.token)]).toEqual([false, true]);
  const again = await send(host, 'DELETE', `/api/account/sessions/${other?.id}`, undefined, account);
  expect(again.status).toBe(404);
});

test('all other sessions are signed out at once', async () => {
  const tokens = [await signIn(), await signIn(true)];
  await send(host, 'DELETE', '/api/account/sessions', undefined, account);
  expect(await Promise.all([...tokens, account.token].map(isSignedIn))).toEqual([false, false, true]);
});

test('a session of another account is not found and stays active', async () => {
  const [theirs] = await list();
  const thief = await host.account();
  const refused = await send(host, 'DELETE', `/api/account/sessions/${theirs?.id}`, undefined, thief);
  expect(refused.status).toBe(404);
  expect(await isSignedIn(account.token)).toBe(true);
});

test.each([['not-an-id'], ['%00'], ["1' or '1'='1"], ['00000000-0000-4000-8000-000000000000']])(
  'the session %s is not found',
  async (id) => {
    const path = `/api/account/sessions/${encodeURIComponent(decodeURIComponent(id))}`;
    expect((await send(host, 'DELETE', path, undefined, account)).status).toBe(404);
  },
);

test('signing out ends this session only', async () => {
  const token = await signIn();
  const answered = await send(host, 'POST', '/api/account/logout', undefined, { token });
  expect(answered.body).toEqual({ status: 'success', message: 'logout_successful' });
  expect([await isSignedIn(token), await isSignedIn(account.token)]).toEqual([false, true]);
});

test('a session lasts 12 hours, and 30 days when remembered', async () => {
  const [short, long] = [await signIn(), await signIn(true)];
  host.clock.advance(12 * HOUR_MS - 1000);
  expect(await isSignedIn(short)).toBe(true);
  host.clock.advance(2000);
  expect([await isSignedIn(short), await isSignedIn(long)]).toEqual([false, true]);
  host.clock.advance(30 * 24 * HOUR_MS - 12 * HOUR_MS);
  expect(await isSignedIn(long)).toBe(false);
});

test('a session unused for 12 hours ends, a remembered one after 30 days, whatever its token says', async () => {
  const later = new Date(host.clock.now().getTime() + 365 * 24 * HOUR_MS);
  async function longLived(remember: boolean) {
    const id = randomUUID();
    const opened = { id, accountId: account.id, remember, userAgent: '', createdAt: host.clock.now() };
    await createSession(host.db.orm, { ...opened, expiresAt: later });
    const content = {
      accountId: account.id,
      sessionId: id,
      email: account.email,
      roles: [],
      expiresAt: later,
    };
    return signToken(content, host.deps.settings.jwtSecrets, host.clock.now());
  }
  const [short, long] = [await longLived(false), await longLived(true)];
  for (let turn = 0; turn < 3; turn += 1) {
    host.clock.advance(12 * HOUR_MS - 1);
    expect([await isSignedIn(short), await isSignedIn(long)]).toEqual([true, true]);
  }
  host.clock.advance(12 * HOUR_MS);
  expect([await isSignedIn(short), await isSignedIn(long)]).toEqual([false, true]);
  expect(await list(long)).toHaveLength(2);
  host.clock.advance(30 * 24 * HOUR_MS);
  expect(await isSignedIn(long)).toBe(false);
});

test('a wrong password gets the same response for a known and an unknown address', async () => {
  const wrong = { password: 'not this one' };
  const known = await send(host, 'POST', '/api/login_check', { ...wrong, email: account.email });
  const unknown = await send(host, 'POST', '/api/login_check', { ...wrong, email: 'nobody@test.example' });
  expect([known.status, known.body.code]).toEqual([401, 'invalid_credentials']);
  expect({ ...unknown.body, requestId: '' }).toEqual({ ...known.body, requestId: '' });
});

test('the e-mail address signs in in any letter case', async () => {
  const shouted = { email: ` ${account.email.toUpperCase()} `, password: account.password };
  expect((await send(host, 'POST', '/api/login_check', shouted)).status).toBe(200);
});

test('after five wrong passwords for one account the next one from the same place has to wait', async () => {
  const attempt = (password: string, from: string) =>
    send(
      host,
      'POST',
      '/api/login_check',
      { email: account.email, password },
      {
        headers: { 'x-client-ip': from },
      },
    );
  for (let turn = 0; turn < 5; turn += 1) await attempt('wrong one', '203.0.113.99');
  const refused = await attempt(account.password, '203.0.113.99');
  expect(refused.status).toBe(429);
  expect((await attempt('wrong one', '203.0.113.98')).status).toBe(401);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  host.clock.advance(wait * 1000);
  expect((await attempt(account.password, '203.0.113.99')).status).toBe(200);
});

test('a token signed with an older secret stays valid, and new ones are signed with the first', async () => {
  const [older, newer] = ['an older secret, long enough by far', 'a newer secret, long enough by far'];
  const { jwtSecrets } = host.deps.settings;
  jwtSecrets.splice(0, jwtSecrets.length, older);
  const before = await signIn();
  jwtSecrets.splice(0, jwtSecrets.length, newer, older);
  const after = await signIn();
  expect([await isSignedIn(before), await isSignedIn(after)]).toEqual([true, true]);
  jwtSecrets.splice(0, jwtSecrets.length, newer);
  expect([await isSignedIn(before), await isSignedIn(after)]).toEqual([false, true]);
});

test.each([
  ['unsigned', 'none'],
  ['signed with another secret', 'foreign'],
  ['of another issuer', 'issuer'],
])('a token that is %s is refused', async (_, kind) => {
  const [row] = await host.db.orm.select().from(sessions).where(eq(sessions.accountId, account.id));
  const [secret = ''] = host.deps.settings.jwtSecrets;
  const seconds = Math.floor(host.clock.now().getTime() / 1000);
  const key = new TextEncoder().encode(kind === 'foreign' ? 'a secret that nobody ever set here' : secret);
  const signed = await new SignJWT({ email: account.email, roles: ['ROLE_USER'] })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(kind === 'issuer' ? 'somebody else' : 'quadrille')
    .setSubject(account.id)
    .setJti(row?.id ?? '')
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 600)
    .sign(key);
  const [, payload] = signed.split('.');
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  expect(await isSignedIn(kind === 'none' ? `${header}.${payload}.` : signed)).toBe(false);
});

test.each(brokenBodies({ email: 'a@b.example', password: 'some password' }, ['email', 'password']))(
  'sign-in refuses %s that is %s',
  async (field, what, body) => {
    const answered = await send(host, 'POST', '/api/login_check', body);
    const isOnlyWrong = field === 'password' && what === 'with a null byte';
    expect(answered.status).toBe(isOnlyWrong ? 401 : 422);
    if (!isOnlyWrong) expect(Object.keys(answered.body.errors ?? {})).toEqual([field]);
  },
);

test.each(NON_OBJECT_BODIES)('sign-in refuses a body that is %s', async (_, text, status) => {
  expect((await send(host, 'POST', '/api/login_check', text)).status).toBe(status);
});
