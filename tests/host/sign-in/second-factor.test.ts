import { eq } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { recoveryCodes, totpSecrets } from '#host/db/factors.tables';
import { resealSecrets } from '#host/sign-in/verify-code';
import { setUpAuthenticator } from '../../support/authenticator';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send, subjectsTo } from '../../support/json-calls';
import { SECOND_FACTOR, STEP_MS, secondFactorCalls } from './second-factor-calls';

const [SECRET, NEXT_SECRET] = [
  'a secret of the test host, long enough',
  'the secret that comes after it, as long',
];

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

test('it is off at first, pending until its first code, and then on with ten recovery codes', async () => {
  expect((await call('GET', SECOND_FACTOR)).body.data).toEqual({
    state: 'off',
    since: null,
    recoveryCodesLeft: 0,
    setup: null,
  });
  const begun = await call('POST', SECOND_FACTOR, { currentPassword: account.password });
  const setup = begun.body.data as { secret: string; uri: string };
  expect(setup.secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(setup.uri).toContain(`secret=${setup.secret}&issuer=Quadrille`);
  expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ state: 'pending', setup });
  // While pending, the password alone signs in.
  expect((await logIn()).body.token).not.toBe('');
  const confirmed = await call('POST', `${SECOND_FACTOR}/confirmation`, { code: codeNow(setup.secret) });
  const codes = (confirmed.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect(codes).toHaveLength(10);
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^\d{4}-\d{4}-\d{4}-\d{4}$/);
  expect((await call('GET', SECOND_FACTOR)).body.data).toEqual({
    state: 'on',
    since: host.clock.now().toISOString(),
    recoveryCodesLeft: 10,
    setup: null,
  });
  expect(await subjectsTo(host, account.email)).toEqual(['Two-step sign-in is on']);
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
  const begun = await call('POST', SECOND_FACTOR, { currentPassword: account.password });
  const { secret } = begun.body.data as { secret: string };
  const elsewhere = (await logIn()).body.token ?? '';
  expect((await call('GET', SECOND_FACTOR, undefined, elsewhere)).body.data).toMatchObject({
    state: 'off',
    setup: null,
  });
  const foreign = await call('POST', `${SECOND_FACTOR}/confirmation`, { code: codeNow(secret) }, elsewhere);
  expect(foreign.status).toBe(409);
  host.clock.advance(3_600_000);
  expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ state: 'pending', setup: { secret } });
  host.clock.advance(1);
  expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ state: 'off', setup: null });
  expect((await call('POST', `${SECOND_FACTOR}/confirmation`, { code: codeNow(secret) })).status).toBe(409);
});

test('setting up requires the password, and a wrong first code turns nothing on', async () => {
  const refused = await call('POST', SECOND_FACTOR, { currentPassword: 'not the password' });
  expect([refused.status, refused.body.errors]).toEqual([422, { currentPassword: ['password_wrong'] }]);
  expect((await call('POST', SECOND_FACTOR, {})).body.errors).toEqual({
    currentPassword: ['password_required'],
  });
  const begun = await call('POST', SECOND_FACTOR, { currentPassword: account.password });
  const { secret } = begun.body.data as { secret: string };
  const wrong = await call('POST', `${SECOND_FACTOR}/confirmation`, { code: codeNow(secret, 2) });
  expect([wrong.status, wrong.body.errors]).toEqual([422, { code: ['code_wrong'] }]);
  expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ state: 'pending' });
  for (let i = 0; i < 19; i++) await call('POST', `${SECOND_FACTOR}/confirmation`, { code: '000000' });
  expect((await call('POST', `${SECOND_FACTOR}/confirmation`, { code: codeNow(secret) })).status).toBe(429);
});

test('a confirmation repeated by a double click returns working codes', async () => {
  const begun = await call('POST', SECOND_FACTOR, { currentPassword: account.password });
  const { secret } = begun.body.data as { secret: string };
  const code = codeNow(secret);
  await call('POST', `${SECOND_FACTOR}/confirmation`, { code });
  const again = await call('POST', `${SECOND_FACTOR}/confirmation`, { code });
  const [first = ''] = (again.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect((await complete(await challengeOf(), first)).status).toBe(200);
  expect(await subjectsTo(host, account.email)).toEqual([
    'A recovery code was used',
    'Two-step sign-in is on',
  ]);
  host.clock.advance(60_001);
  expect((await call('POST', `${SECOND_FACTOR}/confirmation`, { code })).status).toBe(409);
});

test('turning it off requires the password and a code', async () => {
  const { secret } = await withSecondFactor();
  const noPassword = await call('DELETE', SECOND_FACTOR, { code: codeNow(secret) });
  expect(noPassword.body.errors).toEqual({ currentPassword: ['password_required'] });
  const noCode = await call('DELETE', SECOND_FACTOR, { currentPassword: account.password, code: '000000' });
  expect(noCode.body.errors).toEqual({ code: ['code_wrong'] });
  expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ state: 'on' });
  const ended = await call('DELETE', SECOND_FACTOR, proof(codeNow(secret)));
  expect(ended.body).toEqual({ status: 'success', message: 'second_factor_off' });
  expect((await call('DELETE', SECOND_FACTOR, proof(codeNow(secret)))).status).toBe(200);
  expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ state: 'off', recoveryCodesLeft: 0 });
  expect((await logIn()).body.token).not.toBe('');
  expect(await subjectsTo(host, account.email)).toEqual([
    'Two-step sign-in is off',
    'Two-step sign-in is on',
  ]);
});

test.each(['app', 'recovery'] as const)(
  'turned off twice by a double click with an %s code, both succeed, and it is notified once',
  async (kind) => {
    const { secret, recoveryCodes: codes } = await withSecondFactor();
    const body = proof(kind === 'app' ? codeNow(secret) : (codes[0] ?? ''));
    const answers = await Promise.all([1, 2, 3].map(() => call('DELETE', SECOND_FACTOR, body)));
    const off = { status: 'success', message: 'second_factor_off' };
    expect(answers.map((answer) => answer.body)).toEqual([off, off, off]);
    const subjects = await subjectsTo(host, account.email);
    expect(subjects.filter((subject) => subject === 'Two-step sign-in is off')).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"audit":"second_factor_off"'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('second_factor_refused'))).toEqual([]);
  },
);

test('while it is on no other can be set up, and while it is off there are no recovery codes to renew', async () => {
  expect((await call('POST', `${SECOND_FACTOR}/recovery-codes`, proof('123456'))).status).toBe(409);
  await withSecondFactor();
  expect((await call('POST', SECOND_FACTOR, { currentPassword: account.password })).status).toBe(409);
});

test('its changes are in the recent activity, each once', async () => {
  const recent = async () => {
    const { body } = await call('GET', '/api/dashboard/overview');
    const { recentActivities } = body.data as { recentActivities: { type: string; at: string }[] };
    return recentActivities.filter(({ type }) => type !== 'auth_login').map(({ type, at }) => ({ type, at }));
  };
  const { secret } = await setUpAuthenticator(host, account);
  const twice = await call('POST', `${SECOND_FACTOR}/confirmation`, { code: codeNow(secret) });
  expect(twice.status).toBe(200);
  const on = { type: 'second_factor_on', at: host.clock.now().toISOString() };
  expect(await recent()).toEqual([on]);
  host.clock.advance(STEP_MS);
  expect((await call('POST', `${SECOND_FACTOR}/recovery-codes`, proof('000000'))).status).toBe(422);
  expect((await call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(codeNow(secret)))).status).toBe(200);
  const renewed = { type: 'recovery_codes_renewed', at: host.clock.now().toISOString() };
  host.clock.advance(STEP_MS);
  await call('DELETE', SECOND_FACTOR, proof(codeNow(secret)));
  await call('DELETE', SECOND_FACTOR, proof(codeNow(secret)));
  const off = { type: 'second_factor_off', at: host.clock.now().toISOString() };
  expect(await recent()).toEqual([off, renewed, on]);
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
  expect((await call('DELETE', '/api/account', { password: account.password, code: codes[1] })).status).toBe(
    200,
  );
  for (const table of [totpSecrets, recoveryCodes]) {
    expect(await host.db.orm.select().from(table).where(eq(table.accountId, account.id))).toEqual([]);
  }
});
