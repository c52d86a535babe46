import { afterAll, beforeAll, expect, test } from 'vitest';
import { getStatistics, type Statistics } from '#contract/statistics';
import { isChance } from '#host/statistics/chance';
import { periodBefore, readPeriod } from '#host/statistics/period';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { visitOf } from './visit-stream';

let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
  account = await host.account();
});
afterAll(() => host.close());

async function ask(body: object): Promise<Statistics> {
  const answered = await send(host, 'POST', '/api/qrcodes/stats', body, account);
  return getStatistics.response.parse(answered.body).data;
}

async function visits(codeId: string, at: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await host.recorder.record(visitOf(codeId, at, { clientIp: `198.51.100.${n}` }));
  await host.recorder.idle();
}

test('the same days before are counted, on the last one up to the hour reached today', async () => {
  expect(START.toISOString()).toBe('2026-03-02T10:00:00.000Z');
  const old = { createdAt: new Date('2026-01-01T00:00:00Z') };
  const { id } = await host.code(account.id, old);
  await visits(id, '2026-02-24T09:30:00Z', 2);
  await visits(id, '2026-02-23T09:59:00Z', 30);
  // A week before the hour that today has not reached yet, and the day before the time before.
  await visits(id, '2026-02-23T10:00:00Z', 5);
  await visits(id, '2026-02-16T23:59:00Z', 5);
  await visits(id, '2026-02-17T00:00:00Z', 3);
  const { before, figures } = await ask({ period: 7, code: id });
  expect(before).toMatchObject({
    from: '2026-02-17',
    to: '2026-02-23',
    visits: { value: 33, isChance: true },
  });
  expect(figures.visits.value).toBe(2);
  const whole = await ask({ from: '2026-02-24', to: '2026-03-01', code: id });
  expect(whole.before).toMatchObject({ from: '2026-02-18', to: '2026-02-23', visits: { value: 35 } });
});

test('there is nothing to compare with before the code, or the first code of the account, existed', async () => {
  const newcomer = await host.account();
  const { id } = await host.code(newcomer.id, { createdAt: new Date('2026-02-17T00:00:00Z') });
  const of = async (body: object) =>
    getStatistics.response.parse((await send(host, 'POST', '/api/qrcodes/stats', body, newcomer)).body).data
      .before;
  expect(await of({ period: 7 })).toMatchObject({ from: '2026-02-17' });
  expect(await of({ period: 7, code: id })).toMatchObject({ from: '2026-02-17' });
  expect(await of({ period: 30 })).toBeNull();
  const younger = await host.code(newcomer.id, { createdAt: new Date('2026-02-17T00:00:01Z') });
  expect(await of({ period: 7, code: younger.id })).toBeNull();
  const none = await host.account();
  const { body } = await send(host, 'POST', '/api/qrcodes/stats', {}, none);
  expect(getStatistics.response.parse(body).data.before).toBeNull();
});

test.each([
  ['Europe/Berlin', '2026-04-01T12:30:00Z', 7],
  ['America/New_York', '2026-11-03T01:00:00Z', 7],
  ['Asia/Kolkata', '2026-03-02T10:00:00Z', 30],
])('in %s at %s the time before touches the period and is no longer', (timeZone, at, days) => {
  const now = new Date(at);
  const period = readPeriod({ period: days as 7 | 30, timeZone, code: null, tag: null }, now);
  const before = periodBefore(period, now);
  expect(before.dates).toHaveLength(days);
  expect(before.starts[days] ?? 0).toBeLessThanOrEqual(period.starts[0] ?? 0);
  const lengthOf = ({ starts }: typeof before) => (starts.at(-1) ?? 0) - (starts[0] ?? 0);
  expect(lengthOf(before)).toBeLessThanOrEqual(lengthOf(period) + 3_600_000);
});

test.each<[now: number[], before: number[], chance: boolean]>([
  [[0], [0], true],
  [[3], [0], true],
  [[4], [0], false],
  [[10, 10, 10, 10], [10, 11, 10, 10], true],
  [[20, 21, 19, 20], [10, 9, 11, 10], false],
  // The same sums, but days that differ so much that they say little.
  [[80, 0, 0, 0], [0, 40, 0, 0], true],
])('%j against %j: chance is %j', (now, before, chance) => {
  expect(isChance(now, before)).toBe(chance);
  expect(isChance(before, now)).toBe(chance);
});

/** Numbers from 0 to 1 (the generator mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('equal times are told apart in about 1 of 20 comparisons, also when good days and bad ones differ', () => {
  const random = seededRandom(1);
  const poisson = (mean: number) => {
    let [count, product] = [0, random()];
    for (const limit = Math.exp(-mean); product > limit; count += 1) product *= random();
    return count;
  };
  const days = (mean: () => number) => Array.from({ length: 30 }, () => poisson(mean()));
  for (const mean of [() => 5, () => 20, () => (random() < 0.3 ? 25 : 5)]) {
    const rounds = 2_000;
    let differing = 0;
    for (let round = 0; round < rounds; round += 1) if (!isChance(days(mean), days(mean))) differing += 1;
    expect(differing / rounds).toBeGreaterThan(0.02);
    expect(differing / rounds).toBeLessThan(0.08);
  }
});
