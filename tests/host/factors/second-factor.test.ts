import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeMailToken } from '#host/accounts/mail-tokens';
import { accounts, identities } from '#host/db/accounts.tables';
import { recoveryCodes, totpSecrets } from '#host/db/factors.tables';
import { resealSecrets } from '#host/factors/verify-code';
import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { brokenBodies, send, signInOf, subjectsTo } from '../../support/json-calls';

const PATH = '/api/account/second-factor';
const [SECRET, NEXT_SECRET] = [
  'a secret of the test host, long enough',
  'the secret that comes after it, as long',
];
const STEP_MS = 30_000;

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

const call = (method: string, path: string, body?: unknown, token = account.token) =>
  send(host, method, path, body, { token });
const proof = (code: string) => ({ currentPassword: account.password, code });
const codeNow = (secret: string, skew = 0) => codeAt(secret, host.clock.now(), skew);

async function logIn(fields: Record<string, unknown> = {}) {
  const body = { email: account.email, password: account.password, ...fields };
  return send(host, 'POST', '/api/login_check', body);
}

async function challengeOf(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await logIn(fields);
  return (body as { challenge: string }).challenge;
}

function complete(challenge: string, code: string, on: Pick<TestHost, 'request'> = host) {
  return send(on, 'POST', '/api/login_check/code', { challenge, code });
}

/** Turns the second factor on and advances to a fresh time step. */
async function withSecondFactor() {
  const authenticator = await setUpAuthenticator(host, account);
  host.clock.advance(STEP_MS);
  return authenticator;
}

test('it is off at first, pending until its first code, and then on with ten recovery codes', async () => {
  expect((await call('GET', PATH)).body.data).toEqual({
    ...{ state: 'off', since: null, recoveryCodesLeft: 0, setup: null },
  });
  const begun = await call('POST', PATH, { currentPassword: account.password });
  const setup = begun.body.data as { secret: string; uri: string };
  expect(setup.secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(setup.uri).toContain(`secret=${setup.secret}&issuer=Quadrille`);
  expect((await call('GET', PATH)).body.data).toMatchObject({ state: 'pending', setup });
  // While pending, the password alone signs in.
  expect((await logIn()).body.token).not.toBe('');
  const confirmed = await call('POST', `${PATH}/confirmation`, { code: codeNow(setup.secret) });
  const codes = (confirmed.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect(codes).toHaveLength(10);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^\d{4}-\d{4}-\d{4}-\d{4}$/);
  expect((await call('GET', PATH)).body.data).toEqual({
    ...{ state: 'on', since: host.clock.now().toISOString(), recoveryCodesLeft: 10, setup: null },
  });
  expect(await subjectsTo(host, account.email)).toEqual(['Two-step login is on']);
});

test('neither the secret nor a recovery code is in the database or the log', async () => {
  const { secret, recoveryCodes: codes } = await withSecondFactor();
  await complete(await challengeOf(), codes[0] ?? '');
  const kept = JSON.stringify([
    await host.db.orm.select().from(totpSecrets),
    await host.db.orm.select().from(recoveryCodes),
    lines,
  ]);
  for (const code of codes) expect(kept).not.toContain(code.replaceAll('-', ''));
  expect(kept).not.toContain(secret);
});

test('the secret is shown only to the session that gave the password, for an hour', async () => {
  const begun = await call('POST', PATH, { currentPassword: account.password });
  const { secret } = begun.body.data as { secret: string };
  const elsewhere = (await logIn()).body.token ?? '';
  expect((await call('GET', PATH, undefined, elsewhere)).body.data).toMatchObject({
    state: 'off',
    setup: null,
  });
  const foreign = await call('POST', `${PATH}/confirmation`, { code: codeNow(secret) }, elsewhere);
  expect(foreign.status).toBe(409);
  host.clock.advance(3_600_001);
  expect((await call('GET', PATH)).body.data).toMatchObject({ state: 'off', setup: null });
  expect((await call('POST', `${PATH}/confirmation`, { code: codeNow(secret) })).status).toBe(409);
});

test('setting up requires the password, and a wrong first code turns nothing on', async () => {
  const refused = await call('POST', PATH, { currentPassword: 'not the password' });
  expect([refused.status, refused.body.errors]).toEqual([422, { currentPassword: ['password_wrong'] }]);
  expect((await call('POST', PATH, {})).body.errors).toEqual({ currentPassword: ['password_required'] });
  const begun = await call('POST', PATH, { currentPassword: account.password });
  const { secret } = begun.body.data as { secret: string };
  const wrong = await call('POST', `${PATH}/confirmation`, { code: codeNow(secret, 2) });
  expect([wrong.status, wrong.body.errors]).toEqual([422, { code: ['code_wrong'] }]);
  expect((await call('GET', PATH)).body.data).toMatchObject({ state: 'pending' });
  for (let i = 0; i < 19; i++) await call('POST', `${PATH}/confirmation`, { code: '000000' });
  expect((await call('POST', `${PATH}/confirmation`, { code: codeNow(secret) })).status).toBe(429);
});

test('a confirmation repeated by a double click returns working codes', async () => {
  const begun = await call('POST', PATH, { currentPassword: account.password });
  const { secret } = begun.body.data as { secret: string };
  const code = codeNow(secret);
  await call('POST', `${PATH}/confirmation`, { code });
  const again = await call('POST', `${PATH}/confirmation`, { code });
  const [first = ''] = (again.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect((await complete(await challengeOf(), first)).status).toBe(200);
  expect(await subjectsTo(host, account.email)).toEqual(['A recovery code was used', 'Two-step login is on']);
  host.clock.advance(60_001);
  expect((await call('POST', `${PATH}/confirmation`, { code })).status).toBe(409);
});

test('a renewal repeated by a double click returns working codes, and is notified once', async () => {
  const { secret, recoveryCodes: old } = await withSecondFactor();
  const renew = () => call('POST', `${PATH}/recovery-codes`, proof(codeNow(secret)));
  for (const [turn, answers] of [
    ['both at once', () => Promise.all([renew(), renew()])],
    ['one after the other', async () => [await renew(), await renew()]],
  ] as const) {
    host.clock.advance(5 * 60_000);
    const sets = (await answers()).map(
      ({ body }) => (body.data as { recoveryCodes?: string[] })?.recoveryCodes,
    );
    const shown = sets.map((codes) => codes?.[0] ?? '');
    const entered = [];
    for (const code of [...shown, old[0] ?? ''])
      entered.push((await complete(await challengeOf(), code)).status);
    // Either of two concurrent renewals may be the last.
    expect(entered.sort(), turn).toEqual([200, 422, 422]);
    if (turn === 'one after the other') expect(sets).toEqual([expect.any(Array), expect.any(Array)]);
  }
  const subjects = await subjectsTo(host, account.email);
  expect(subjects.filter((subject) => /recovery codes/i.test(subject))).toHaveLength(2);
});

test('a code renews the recovery codes again only within a minute, and only if it did before', async () => {
  const { secret } = await withSecondFactor();
  // To the start of a time step, whose codes are valid for 90 seconds.
  host.clock.advance(10 * STEP_MS - (host.clock.now().getTime() % STEP_MS));
  const renew = (skew: number) => call('POST', `${PATH}/recovery-codes`, proof(codeNow(secret, skew)));
  await complete(await challengeOf(), codeNow(secret));
  expect((await renew(0)).body.errors).toEqual({ code: ['code_used'] });
  expect((await renew(1)).status).toBe(200);
  expect((await renew(0)).body.errors).toEqual({ code: ['code_used'] });
  host.clock.advance(2 * STEP_MS + 1000);
  expect((await renew(-1)).body.errors).toEqual({ code: ['code_used'] });
  host.clock.advance(10 * STEP_MS);
  expect((await renew(1)).status).toBe(200);
  host.clock.advance(STEP_MS);
  expect((await renew(0)).status).toBe(200);
});

test('a renewal with a recovery code can be repeated by a double click, but not a minute later', async () => {
  const { recoveryCodes: old } = await withSecondFactor();
  let code = old[0] ?? '';
  const renew = () => call('POST', `${PATH}/recovery-codes`, proof(code));
  for (const answers of [
    () => Promise.all([renew(), renew()]),
    async () => [await renew(), await renew(), await renew()],
  ]) {
    const sets = (await answers()).map(
      ({ body }) => (body.data as { recoveryCodes?: string[] })?.recoveryCodes ?? [],
    );
    expect(sets.map((codes) => codes.length)).toEqual(sets.map(() => 10));
    expect((await call('GET', PATH)).body.data).toMatchObject({ recoveryCodesLeft: 10 });
    expect((await complete(await challengeOf(), code)).body.errors).toEqual({ code: ['code_wrong'] });
    host.clock.advance(60_001);
    expect((await renew()).body.errors).toEqual({ code: ['code_wrong'] });
    // Either of two concurrent renewals may be the last.
    const entered = [];
    for (const [first = ''] of sets) entered.push((await complete(await challengeOf(), first)).status);
    expect(entered.filter((status) => status === 200)).toHaveLength(1);
    code = sets[entered.indexOf(200)]?.[1] ?? '';
  }
  const subjects = await subjectsTo(host, account.email);
  expect(subjects.filter((subject) => subject === 'You have new recovery codes')).toHaveLength(2);
  expect(lines.filter((line) => line.includes('"audit":"recovery_code_used"'))).toHaveLength(4);
});

test('a recovery code that has just signed in renews nothing', async () => {
  const { secret, recoveryCodes: old } = await withSecondFactor();
  const renewed = await call('POST', `${PATH}/recovery-codes`, proof(codeNow(secret)));
  const [code = ''] = (renewed.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect((await complete(await challengeOf(), code)).status).toBe(200);
  for (const used of [code, old[0] ?? '']) {
    const refused = await call('POST', `${PATH}/recovery-codes`, proof(used));
    expect(refused.body.errors).toEqual({ code: ['code_wrong'] });
  }
});

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

test('a code that signed in right after a renewal renews nothing', async () => {
  const { secret } = await withSecondFactor();
  const renew = (skew: number) => call('POST', `${PATH}/recovery-codes`, proof(codeNow(secret, skew)));
  expect((await renew(0)).status).toBe(200);
  expect((await complete(await challengeOf(), codeNow(secret, 1))).status).toBe(200);
  expect((await renew(1)).body.errors).toEqual({ code: ['code_used'] });
});

test('a challenge lives five minutes, has five tries, and ends with a new password', async () => {
  const { secret } = await withSecondFactor();
  const refusal = { challenge: ['sign_in_expired'] };
  const late = await challengeOf();
  host.clock.advance(5 * 60_000 + 1000);
  expect((await complete(late, codeNow(secret))).body.errors).toEqual(refusal);
  const tried = await challengeOf();
  for (let i = 0; i < 5; i++)
    expect((await complete(tried, '000000')).body.errors).toEqual({ code: ['code_wrong'] });
  expect((await complete(tried, codeNow(secret))).body.errors).toEqual(refusal);
  const outdated = await challengeOf();
  const newPassword = 'three quiet lamps over water';
  await call('POST', '/api/account/change-password', { currentPassword: account.password, newPassword });
  expect((await complete(outdated, codeNow(secret))).body.errors).toEqual(refusal);
  expect((await complete(await challengeOf({ password: newPassword }), codeNow(secret))).status).toBe(200);
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

test('its changes are in the recent activity, each once', async () => {
  const recent = async () => {
    const { body } = await call('GET', '/api/dashboard/overview');
    const { recentActivities } = body.data as { recentActivities: { type: string; at: string }[] };
    return recentActivities.filter(({ type }) => type !== 'auth_login').map(({ type, at }) => ({ type, at }));
  };
  const { secret } = await setUpAuthenticator(host, account);
  const twice = await call('POST', `${PATH}/confirmation`, { code: codeNow(secret) });
  expect(twice.status).toBe(200);
  const on = { type: 'second_factor_on', at: host.clock.now().toISOString() };
  expect(await recent()).toEqual([on]);
  host.clock.advance(STEP_MS);
  expect((await call('POST', `${PATH}/recovery-codes`, proof('000000'))).status).toBe(422);
  expect((await call('POST', `${PATH}/recovery-codes`, proof(codeNow(secret)))).status).toBe(200);
  const renewed = { type: 'recovery_codes_renewed', at: host.clock.now().toISOString() };
  host.clock.advance(STEP_MS);
  await call('DELETE', PATH, proof(codeNow(secret)));
  await call('DELETE', PATH, proof(codeNow(secret)));
  const off = { type: 'second_factor_off', at: host.clock.now().toISOString() };
  expect(await recent()).toEqual([off, renewed, on]);
});

test('turning it off requires the password and a code', async () => {
  const { secret } = await withSecondFactor();
  const noPassword = await call('DELETE', PATH, { code: codeNow(secret) });
  expect(noPassword.body.errors).toEqual({ currentPassword: ['password_required'] });
  const noCode = await call('DELETE', PATH, { currentPassword: account.password, code: '000000' });
  expect(noCode.body.errors).toEqual({ code: ['code_wrong'] });
  expect((await call('GET', PATH)).body.data).toMatchObject({ state: 'on' });
  const ended = await call('DELETE', PATH, proof(codeNow(secret)));
  expect(ended.body).toEqual({ status: 'success', message: 'second_factor_off' });
  expect((await call('DELETE', PATH, proof(codeNow(secret)))).status).toBe(200);
  expect((await call('GET', PATH)).body.data).toMatchObject({ state: 'off', recoveryCodesLeft: 0 });
  expect((await logIn()).body.token).not.toBe('');
  expect(await subjectsTo(host, account.email)).toEqual(['Two-step login is off', 'Two-step login is on']);
});

test.each(['app', 'recovery'] as const)(
  'turned off twice by a double click with an %s code, both succeed, and it is notified once',
  async (kind) => {
    const { secret, recoveryCodes: codes } = await withSecondFactor();
    const body = proof(kind === 'app' ? codeNow(secret) : (codes[0] ?? ''));
    const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', PATH, body)));
    const off = { status: 'success', message: 'second_factor_off' };
    expect(answers.map((answer) => answer.body)).toEqual([off, off, off]);
    const subjects = await subjectsTo(host, account.email);
    expect(subjects.filter((subject) => subject === 'Two-step login is off')).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"audit":"second_factor_off"'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('second_factor_refused'))).toEqual([]);
  },
);

test('new recovery codes require the password and a code, and invalidate the old ones', async () => {
  const { secret, recoveryCodes: old } = await withSecondFactor();
  const renewed = await call('POST', `${PATH}/recovery-codes`, proof(codeNow(secret)));
  const codes = (renewed.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect(codes).toHaveLength(10);
  expect((await complete(await challengeOf(), old[0] ?? '')).body.errors).toEqual({ code: ['code_wrong'] });
  expect((await complete(await challengeOf(), codes[0] ?? '')).status).toBe(200);
  expect((await subjectsTo(host, account.email))[1]).toBe('You have new recovery codes');
});

test('while it is on no other can be set up, and while it is off there are no recovery codes to renew', async () => {
  expect((await call('POST', `${PATH}/recovery-codes`, proof('123456'))).status).toBe(409);
  await withSecondFactor();
  expect((await call('POST', PATH, { currentPassword: account.password })).status).toBe(409);
});

test('it works with a rotated secret, and is sealed again before the old secret is removed', async () => {
  const { secret } = await withSecondFactor();
  const rotated = await createTestHost({
    db: host.db,
    clock: host.clock,
    settings: { jwtSecrets: [NEXT_SECRET, SECRET] },
  });
  await resealSecrets(rotated.deps);
  const later = await createTestHost({
    db: host.db,
    clock: host.clock,
    settings: { jwtSecrets: [NEXT_SECRET] },
  });
  const { body } = await send(later, 'POST', '/api/login_check', {
    email: account.email,
    password: account.password,
  });
  const { challenge = '' } = body as { challenge?: string };
  expect((await complete(challenge, codeNow(secret), later)).status).toBe(200);
  // The other tests use the old secret.
  const back = await createTestHost({
    db: host.db,
    clock: host.clock,
    settings: { jwtSecrets: [SECRET, NEXT_SECRET] },
  });
  await resealSecrets(back.deps);
  for (const node of [rotated, later, back]) await node.recorder.close();
});

test('the export says when it was set up and codes were used, and it is erased with the account', async () => {
  const { recoveryCodes: codes, secret } = await withSecondFactor();
  await complete(await challengeOf(), codes[0] ?? '');
  const { body } = await call('GET', '/api/account/export');
  const { secondFactor } = (body.data as { account: { secondFactor: { recoveryCodes: unknown[] } } }).account;
  expect(secondFactor.recoveryCodes).toHaveLength(10);
  expect(secondFactor.recoveryCodes[0]).toMatchObject({ usedAt: host.clock.now().toISOString() });
  expect(JSON.stringify(body)).not.toContain(secret);
  expect((await call('DELETE', '/api/account', { password: account.password })).status).toBe(200);
  for (const table of [totpSecrets, recoveryCodes]) {
    expect(await host.db.orm.select().from(table).where(eq(table.accountId, account.id))).toEqual([]);
  }
});

test.each(brokenBodies({ challenge: 'x', code: '123456' }, ['challenge', 'code']))(
  'a second step with a %s that is %s is refused',
  async (_, __, body) => {
    expect((await send(host, 'POST', '/api/login_check/code', body)).status).toBe(422);
  },
);
