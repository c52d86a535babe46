import { afterEach, expect, test, vi } from 'vitest';
import { createServerClock } from '#host/db/database-clock';
import { openFresh } from '../../support/fresh-database';

const DAY = 86_400_000;

afterEach(() => vi.useRealTimers());

test('a host uses the time of the database, whatever its own clock says', async () => {
  const db = await openFresh();
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
    const requested = performance.now();
    await clock.synchronize(db.orm);
    const now = clock.now().getTime();
    const roundTrip = performance.now() - requested;
    expect(now).toBeGreaterThanOrEqual(Math.floor(before));
    expect(now).toBeLessThanOrEqual((await readTime()) + roundTrip);
  }
  await db.close();
});

test('until the database clock is read again, time advances by a monotonic clock', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const clock = createServerClock();
  const start = clock.now().getTime();
  vi.setSystemTime(Date.now() + 100 * DAY);
  expect(clock.now().getTime() - start).toBeLessThan(DAY);
});
