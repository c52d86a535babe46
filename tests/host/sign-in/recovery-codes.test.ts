import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { subjectsTo } from '../../support/json-calls';
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

const { call, proof, codeNow, challengeOf, complete, withSecondFactor } = secondFactorCalls(() => ({
  host,
  account,
}));

test('new recovery codes require the password and a code, and invalidate the old ones', async () => {
  const { secret, recoveryCodes: old } = await withSecondFactor();
  const renewed = await call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(codeNow(secret)));
  const codes = (renewed.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect(codes).toHaveLength(10);
  expect((await complete(await challengeOf(), old[0] ?? '')).body.errors).toEqual({ code: ['code_wrong'] });
  expect((await complete(await challengeOf(), codes[0] ?? '')).status).toBe(200);
  expect((await subjectsTo(host, account.email))[1]).toBe('You have new recovery codes');
});

test('a renewal repeated by a double click returns working codes, and is notified once', async () => {
  const { secret, recoveryCodes: old } = await withSecondFactor();
  const renew = () => call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(codeNow(secret)));
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
  const renew = (skew: number) =>
    call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(codeNow(secret, skew)));
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
  const renew = () => call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(code));
  for (const answers of [
    () => Promise.all([renew(), renew()]),
    async () => [await renew(), await renew(), await renew()],
  ]) {
    const sets = (await answers()).map(
      ({ body }) => (body.data as { recoveryCodes?: string[] })?.recoveryCodes ?? [],
    );
    expect(sets.map((codes) => codes.length)).toEqual(sets.map(() => 10));
    expect((await call('GET', SECOND_FACTOR)).body.data).toMatchObject({ recoveryCodesLeft: 10 });
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
  const renewed = await call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(codeNow(secret)));
  const [code = ''] = (renewed.body.data as { recoveryCodes: string[] }).recoveryCodes;
  expect((await complete(await challengeOf(), code)).status).toBe(200);
  for (const used of [code, old[0] ?? '']) {
    const refused = await call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(used));
    expect(refused.body.errors).toEqual({ code: ['code_wrong'] });
  }
});

test('a code that signed in right after a renewal renews nothing', async () => {
  const { secret } = await withSecondFactor();
  const renew = (skew: number) =>
    call('POST', `${SECOND_FACTOR}/recovery-codes`, proof(codeNow(secret, skew)));
  expect((await renew(0)).status).toBe(200);
  expect((await complete(await challengeOf(), codeNow(secret, 1))).status).toBe(200);
  expect((await renew(1)).body.errors).toEqual({ code: ['code_used'] });
});
