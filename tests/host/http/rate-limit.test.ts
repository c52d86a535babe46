import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  consumeRateLimit,
  isRateLimitReached,
  type RateLimit,
  resetRateLimit,
  tryConsumeRateLimit,
} from '#host/http/rate-limit';
import { createTestHost, START, type TestHost } from '../../support/host';

const THREE: RateLimit = { name: 'three', points: 3, windowSeconds: 60 };
let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const at = (ms: number) => new Date(START.getTime() + ms);
const take = (key: string, ms: number) => tryConsumeRateLimit(host.db.orm, THREE, key, at(ms));
const isReached = (key: string, ms: number) => isRateLimitReached(host.db.orm, THREE, key, at(ms));

test('exactly as many requests as allowed pass in a window, which begins with the first', async () => {
  const taken = [];
  for (const ms of [0, 1_000, 59_998, 59_999]) taken.push(await take('a', ms));
  expect(taken).toEqual([true, true, true, false]);
  // Refused requests do not extend it, and a new one begins with the millisecond in which it ends.
  expect([await take('a', 60_000), await take('a', 60_001), await take('a', 119_999)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([await take('a', 119_999), await take('a', 120_000)]).toEqual([false, true]);
});

test('a limit is reached with the last allowed request, until its window ends, and looking takes none', async () => {
  const reached = [];
  for (let turn = 0; turn < 3; turn += 1) {
    reached.push(await isReached('b', 0));
    await take('b', 0);
  }
  reached.push(await isReached('b', 0), await isReached('b', 59_999), await isReached('b', 60_000));
  expect(reached).toEqual([false, false, false, true, true, false]);
});

test.each([
  [0, 60],
  [59_000, 1],
  [59_001, 1],
  [59_999, 1],
])('a request refused after %i ms has to wait %i seconds', async (ms, retryAfterSeconds) => {
  const key = `waiting-${ms}`;
  for (let turn = 0; turn < 3; turn += 1) await take(key, 0);
  await expect(consumeRateLimit(host.db.orm, THREE, key, at(ms))).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds,
  });
});

test('after a reset all requests are allowed again, and other keys and limits are left alone', async () => {
  const other = { ...THREE, name: 'other' };
  for (let turn = 0; turn < 3; turn += 1) {
    for (const key of ['c', 'd']) await take(key, 0);
    await consumeRateLimit(host.db.orm, other, 'c', at(0));
  }
  await resetRateLimit(host.db.orm, THREE, 'c');
  expect([await isReached('c', 0), await isReached('d', 0)]).toEqual([false, true]);
  expect(await isRateLimitReached(host.db.orm, other, 'c', at(0))).toBe(true);
});
