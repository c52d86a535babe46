import { afterEach, expect, test, vi } from 'vitest';
import { createMachineClock, createServerClock } from '#host/db/database-clock';
import { engines } from '../../support/host';

const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];
const NOON = Date.parse('2026-03-02T12:00:00Z');

afterEach(() => vi.useRealTimers());

test.each(engines)(
  'on %s: a host uses the time of the database, whatever its own clock says',
  async (_, open) => {
    const db = await open();
    const readTime = async () => {
      const text = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms';
      const [row] = await db.query<{ ms: number }>({ name: '', text, values: [] });
      return row?.ms ?? Number.NaN;
    };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100 * DAY });
    const clock = createServerClock();
    for (const leap of [0, 100, -300]) {
      vi.setSystemTime(Date.now() + leap * DAY);
      const before = await readTime();
      const asked = performance.now();
      await clock.synchronize(db.orm);
      const now = clock.now().getTime();
      const roundTrip = performance.now() - asked;
      expect(now).toBeGreaterThanOrEqual(Math.floor(before));
      expect(now).toBeLessThanOrEqual((await readTime()) + roundTrip);
    }
    await db.close();
  },
);

test('until the database clock is read again, time advances by a monotonic clock', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const clock = createServerClock();
  const start = clock.now().getTime();
  vi.setSystemTime(Date.now() + 100 * DAY);
  expect(clock.now().getTime() - start).toBeLessThan(DAY);
});

/** A simulated machine that works, sleeps and has its clock set. */
function createMachine() {
  const is = { clock: NOON, stopwatch: 5_000, sinceBoot: 90_000 };
  const leaps: number[] = [];
  const clock = createMachineClock((ms) => leaps.push(ms), {
    clock: () => is.clock,
    stopwatch: () => is.stopwatch,
    sinceBoot: () => is.sinceBoot,
  });
  return {
    leaps,
    now: () => clock.now().getTime() - NOON,
    work: (ms: number) => {
      is.clock += ms;
      is.stopwatch += ms;
      is.sinceBoot += ms;
    },
    sleep: (ms: number) => {
      is.clock += ms;
      is.sinceBoot += ms;
    },
    set: (ms: number) => {
      is.clock += ms;
    },
  };
}

test('the machine’s clock is followed through small corrections and sleep', () => {
  const { leaps, now, work, sleep, set } = createMachine();
  work(SECOND);
  expect(now()).toBe(SECOND);
  set(20 * 60 * SECOND);
  expect(now()).toBe(1_201 * SECOND);
  set(-20 * 60 * SECOND);
  expect(now()).toBe(SECOND);
  sleep(3 * DAY);
  work(SECOND);
  expect(now()).toBe(3 * DAY + 2 * SECOND);
  expect(leaps).toEqual([]);
});

test.each([100, -100])(
  'a machine’s clock that is set off by %i days is not followed until it is correct again',
  (days) => {
    const { leaps, now, work, sleep, set } = createMachine();
    work(HOUR);
    now();
    set(days * DAY);
    work(SECOND);
    expect(now()).toBe(HOUR + SECOND);
    sleep(3 * DAY);
    work(SECOND);
    expect(now()).toBe(3 * DAY + HOUR + 2 * SECOND);
    expect(leaps).toEqual([days * DAY]);
    set(-days * DAY);
    expect(now()).toBe(3 * DAY + HOUR + 2 * SECOND);
    set(days * DAY);
    now();
    expect(leaps).toEqual([days * DAY, days * DAY]);
  },
);
