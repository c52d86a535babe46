import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeMailToken } from '#host/accounts/mail-tokens';
import { accounts, identities } from '#host/db/accounts.tables';
import { setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, send, signInOf, subjectsTo } from '../../support/json-calls';
import { SECOND_FACTOR, STEP_MS, secondFactorCalls } from './second-factor-calls';

let host: TestHost;
let account: TestAccount;
let lines: string[];

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  host = await createTestHost({ log });
});
beforeEach(async () => {
  lines = [];
  host.clock.advance(25 * 3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

const { call, proof, codeNow, logIn, challengeOf, complete, withSecondFactor } = secondFactorCalls(() => ({
  host,
  account,
}));

test('the password alone opens no session; with the code of the app it does', async () => {
  const { secret } = await withSecondFactor();
  const answered = await logIn({ remember: true });
  expect([answered.status, answered.body.token]).toEqual([200, '']);
  const { challenge = '' } = answered.body as { challenge?: string };
  expect((await call('GET', '/api/account/profile', undefined, challenge)).status).toBe(401);
  const entered = await complete(challenge, codeNow(secret));
  expect(entered.status).toBe(200);
  const token = entered.body.token ?? '';
  const { sessions, secondFactorSince } = await signInOf(host, token);
  expect(secondFactorSince).not.toBeNull();
  expect(sessions).toContainEqual(expect.objectContaining({ current: true, remember: true }));
  expect(lines.filter((line) => line.includes('"audit":"login"'))).toHaveLength(1);
});

test('each time step counts once, and none counts after a later one', async () => {
  const { secret } = await withSecondFactor();
  expect((await complete(await challengeOf(), codeNow(secret, 1))).status).toBe(200);
  for (const skew of [1, 0]) {
    const again = await complete(await challengeOf(), codeNow(secret, skew));
    expect([again.status, again.body.errors]).toEqual([422, { code: ['code_used'] }]);
  }
  host.clock.advance(2 * STEP_MS);
  expect((await complete(await challengeOf(), codeNow(secret))).status).toBe(200);
});

test('the code that turned it on does not sign in', async () => {
  const { secret } = await setUpAuthenticator(host, account);
  const refused = await complete(await challengeOf(), codeNow(secret));
  expect(refused.body.errors).toEqual({ code: ['code_used'] });
});

test('of ten sign-ins with one code at once, one succeeds', async () => {
  const { secret, recoveryCodes: codes } = await withSecondFactor();
  for (const code of [codeNow(secret), codes[3] ?? '']) {
    const challenges = await Promise.all(Array.from({ length: 5 }, () => challengeOf()));
    const answers = await Promise.all(challenges.map((challenge) => complete(challenge, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  }
});

test('a recovery code signs in once, in any spelling, and its owner is told how many are left', async () => {
  const { recoveryCodes: codes } = await withSecondFactor();
  const [code = '', other = ''] = codes;
  expect((await complete(await challengeOf(), ` ${code.replaceAll('-', ' ')} `)).status).toBe(200);
  const again = await complete(await challengeOf(), code);
  expect([again.status, again.body.errors]).toEqual([422, { code: ['code_wrong'] }]);
  const [mail] = (await host.mails()).filter(({ to }) => to === account.email);
  expect([mail?.subject, mail?.text]).toEqual([
    'A recovery code was used',
    expect.stringContaining('left: 9'),
  ]);
  expect((await complete(await challengeOf(), other.replaceAll('-', ''))).status).toBe(200);
});

test.each(['app', 'recovery'] as const)(
  'a sign-in posted twice with an %s code signs in twice within a minute, at any host; no other sign-in does',
  async (kind) => {
    const { secret, recoveryCodes: codes } = await withSecondFactor();
    const code = kind === 'app' ? codeNow(secret) : (codes[0] ?? '');
    const refusal = { code: [kind === 'app' ? 'code_used' : 'code_wrong'] };
    const [challenge, other] = [await challengeOf(), await challengeOf()];
    const second = await createTestHost({ db: host.db, clock: host.clock });
    const both = await Promise.all([complete(challenge, code), complete(challenge, code, second)]);
    await second.recorder.close();
    for (const { status, body } of both) {
      expect(status).toBe(200);
      const { sessions } = await signInOf(host, body.token ?? '');
      expect(sessions).toContainEqual(expect.objectContaining({ current: true }));
    }
    expect((await complete(other, code)).body.errors).toEqual(refusal);
    expect((await complete(challenge, '000000')).body.errors).toEqual({ code: ['code_wrong'] });
    host.clock.advance(60_000);
    expect((await complete(challenge, code)).status).toBe(200);
    host.clock.advance(1);
    const late = await complete(challenge, code);
    expect(late.body.errors).toEqual(
      kind === 'app' ? { code: [expect.stringMatching(/^code_(used|wrong)$/)] } : refusal,
    );
    const subjects = await subjectsTo(host, account.email);
    expect(subjects.filter((subject) => subject === 'A recovery code was used')).toHaveLength(
      kind === 'app' ? 0 : 1,
    );
  },
);

test('a sign-in posted twice with a code that expires in between signs in twice', async () => {
  const { secret } = await withSecondFactor();
  // To the last moment at which the code of the step before is valid.
  host.clock.advance(2 * STEP_MS - 1 - (host.clock.now().getTime() % STEP_MS));
  const [challenge, code] = [await challengeOf(), codeNow(secret, -1)];
  expect((await complete(challenge, code)).status).toBe(200);
  host.clock.advance(1);
  expect((await complete(challenge, code)).status).toBe(200);
  expect((await complete(await challengeOf(), code)).body.errors).toEqual({ code: ['code_used'] });
});

test('a sign-in is repeated only with the code that completed it, and only until a later one is used', async () => {
  const { secret, recoveryCodes: codes } = await withSecondFactor();
  const [challenge, other] = [await challengeOf(), await challengeOf()];
  const [code, next] = [codeNow(secret), codeNow(secret, 1)];
  expect((await complete(challenge, code)).status).toBe(200);
  expect((await complete(other, next)).status).toBe(200);
  for (const used of [code, next])
    expect((await complete(challenge, used)).body.errors).toEqual({ code: ['code_used'] });
  expect((await complete(await challengeOf(), codes[0] ?? '')).status).toBe(200);
  expect((await complete(other, codes[0] ?? '')).body.errors).toEqual({ code: ['code_wrong'] });
});

test('a challenge lives five minutes, has five tries, and ends with a new password', async () => {
  const { secret } = await withSecondFactor();
  const refusal = { challenge: ['sign_in_expired'] };
  const late = await challengeOf();
  host.clock.advance(5 * 60_000 - 1000);
  expect((await complete(late, '000000')).body.errors).toEqual({ code: ['code_wrong'] });
  host.clock.advance(1000);
  expect((await complete(late, codeNow(secret))).body.errors).toEqual(refusal);
  const tried = await challengeOf();
  for (let i = 0; i < 5; i++)
    expect((await complete(tried, '000000')).body.errors).toEqual({ code: ['code_wrong'] });
  expect((await complete(tried, codeNow(secret))).body.errors).toEqual(refusal);
  host.clock.advance(16 * 60_000);
  const lastTry = await challengeOf();
  for (let i = 0; i < 4; i++) await complete(lastTry, '000000');
  expect((await complete(lastTry, codeNow(secret))).status).toBe(200);
  host.clock.advance(STEP_MS);
  const outdated = await challengeOf();
  const newPassword = 'three quiet lamps over water';
  await call('POST', '/api/account/change-password', { ...proof(codeNow(secret)), newPassword });
  host.clock.advance(STEP_MS);
  expect((await complete(outdated, codeNow(secret))).body.errors).toEqual(refusal);
  expect((await complete(await challengeOf({ password: newPassword }), codeNow(secret))).status).toBe(200);
});

test('a challenge ends when the second factor is turned off, and its code does not count as a wrong one', async () => {
  const { secret, recoveryCodes: codes } = await withSecondFactor();
  const challenge = await challengeOf();
  expect((await call('DELETE', SECOND_FACTOR, proof(codeNow(secret)))).status).toBe(200);
  for (const code of [codeNow(secret, 1), codes[0] ?? '', '000000', '000000', '000000', '000000'])
    expect((await complete(challenge, code)).body.errors).toEqual({ challenge: ['sign_in_expired'] });
  expect(await subjectsTo(host, account.email)).toEqual([
    'Two-step sign-in is off',
    'Two-step sign-in is on',
  ]);
});

test('a sign-in with a code makes the browser known, and it keeps its device token', async () => {
  const { secret } = await withSecondFactor();
  const signIn = async (devices: string[]) => {
    host.clock.advance(STEP_MS);
    const body = { challenge: await challengeOf(), code: codeNow(secret), devices };
    return (await send(host, 'POST', '/api/login_check/code', body)).body.device ?? '';
  };
  const device = await signIn([]);
  expect(device).not.toBe('');
  expect(await signIn([device])).toBe(device);
  expect(await signIn([])).not.toBe(device);
});

test('a forged challenge, and the token of a session in its place, are refused', async () => {
  const { secret } = await withSecondFactor();
  const [header, payload, signature = ''] = (await challengeOf()).split('.');
  const forged = `${header}.${payload}.${signature.slice(0, -4)}AAAA`;
  for (const challenge of [forged, account.token, 'x']) {
    const refused = await complete(challenge, codeNow(secret));
    expect(refused.body.errors).toEqual({ challenge: ['sign_in_expired'] });
  }
});

test('wrong codes are rate limited per account, and the owner is notified once', async () => {
  const { secret, recoveryCodes: codes } = await withSecondFactor();
  for (let round = 0; round < 2; round++) {
    const challenge = await challengeOf();
    for (let i = 0; i < 5; i++) await complete(challenge, '000000');
  }
  expect((await complete(await challengeOf(), codeNow(secret))).status).toBe(429);
  expect((await subjectsTo(host, account.email))[0]).toBe('Someone may know your password');
  expect(await subjectsTo(host, account.email)).toHaveLength(2);
  // Uses up the daily limit of app codes; recovery codes, which cannot be guessed, are not subject to it.
  for (let i = 0; i < 2; i++) {
    host.clock.advance(16 * 60_000);
    for (let round = 0; round < 2; round++) {
      const challenge = await challengeOf();
      for (let at = 0; at < 5; at++) await complete(challenge, '000000');
    }
  }
  host.clock.advance(16 * 60_000);
  expect((await complete(await challengeOf(), codeNow(secret))).status).toBe(429);
  expect((await complete(await challengeOf(), codes[0] ?? '')).status).toBe(200);
});

test('the tenth attempt may be the right one, after which as many wrong ones are allowed again', async () => {
  const { secret } = await withSecondFactor();
  const miss = async (times: number) => {
    const statuses = [];
    for (let i = 0; i < times; i += 1) statuses.push((await complete(await challengeOf(), '000000')).status);
    return statuses;
  };
  // Three times: if the attempts of a day were not forgotten, the fourth would be refused.
  for (let round = 0; round < 3; round += 1) {
    expect(await miss(9)).toEqual(Array(9).fill(422));
    expect((await complete(await challengeOf(), codeNow(secret))).status).toBe(200);
    host.clock.advance(STEP_MS);
  }
  expect(await miss(10)).toEqual(Array(10).fill(422));
  expect((await complete(await challengeOf(), codeNow(secret))).status).toBe(429);
});

test('the owner is told of the fifth wrong code in a row, not of four before and four after a right one', async () => {
  const { secret } = await withSecondFactor();
  const miss = async (times: number) => {
    const challenge = await challengeOf();
    for (let i = 0; i < times; i += 1) await complete(challenge, '000000');
  };
  const reported = async () =>
    (await subjectsTo(host, account.email)).filter((subject) => subject === 'Someone may know your password');
  await miss(4);
  expect((await complete(await challengeOf(), codeNow(secret))).status).toBe(200);
  host.clock.advance(STEP_MS);
  await miss(4);
  expect(await reported()).toEqual([]);
  await miss(1);
  expect(await reported()).toHaveLength(1);
});

test('a password reset through a mailed link still needs the code to sign in', async () => {
  const { secret } = await withSecondFactor();
  const link = { accountId: account.id, purpose: 'reset' } as const;
  const token = await makeMailToken(host.db.orm, host.deps.random, link, host.clock.now());
  const password = 'three quiet lamps over water';
  const reset = await send(host, 'POST', '/api/account/reset-password', {
    token,
    password,
    confirmPassword: password,
  });
  expect(reset.status).toBe(200);
  const answered = await logIn({ password });
  expect(answered.body.token).toBe('');
  const { challenge = '' } = answered.body as { challenge?: string };
  expect((await complete(challenge, codeNow(secret))).status).toBe(200);
});

test('a link that sets the first password of an account does not bypass the code', async () => {
  const { secret } = await withSecondFactor();
  await host.db.orm.update(accounts).set({ passwordHash: null }).where(eq(accounts.id, account.id));
  await host.db.orm.insert(identities).values({
    issuer: 'https://accounts.google.com',
    subject: account.id,
    accountId: account.id,
    createdAt: host.clock.now(),
  });
  const link = { accountId: account.id, purpose: 'onboarding' } as const;
  const token = await makeMailToken(host.db.orm, host.deps.random, link, host.clock.now());
  const password = 'three quiet lamps over water';
  const names = { firstName: 'Ada', lastName: 'Byron', password, confirmPassword: password };
  const answered = await send(host, 'POST', '/api/account/onboarding', { ...names, token });
  expect([answered.status, answered.body.token]).toEqual([200, '']);
  const { challenge = '' } = answered.body as { challenge?: string };
  expect((await complete(challenge, codeNow(secret))).body.token).not.toBe('');
});

test.each(brokenBodies({ challenge: 'x', code: '123456' }, ['challenge', 'code']))(
  'a second step with a %s that is %s is refused',
  async (_, __, body) => {
    expect((await send(host, 'POST', '/api/login_check/code', body)).status).toBe(422);
  },
);
