import { uptime } from 'node:os';
import { sql } from 'drizzle-orm';
import type { Orm } from './client';

/** The time that all hosts of a database share, instead of each machine's own clock. */
export interface DatabaseClock {
  now(): Date;
  /** Reads the database's clock; rejects if the database does not respond. */
  synchronize(orm: Orm): Promise<void>;
}

/**
 * A PostgreSQL server's clock: its last reading plus the time elapsed on a monotonic clock. Before the first reading,
 * the machine's time at program start is used instead.
 */
export function createServerClock(): DatabaseClock {
  let offset = Date.now() - performance.now();
  return {
    now: () => new Date(offset + performance.now()),
    synchronize: async (orm) => {
      const requestedAt = performance.now();
      const { rows } = (await orm.execute(
        sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
      )) as unknown as { rows: { ms: number }[] };
      const [row] = rows;
      if (!row) throw new Error('the database returned no time');
      // The server read its clock between request and response: a difference within that needs no correction.
      offset = Math.min(Math.max(offset, row.ms - performance.now()), row.ms - requestedAt);
    },
  };
}

/** Larger corrections mean that the clock was wrong, before or after. */
const LEAP_MS = 3_600_000;

/** Milliseconds of the wall clock, of a monotonic clock that pauses during sleep, and of one that does not. */
const MACHINE = {
  clock: () => Date.now(),
  stopwatch: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
};

/**
 * The embedded database uses the machine's clock. It is followed through corrections and sleep; if it is moved by more
 * than an hour, time continues as before until the program restarts, and `onLeap` is called once with the number of
 * milliseconds by which the machine's clock is ahead.
 */
export function createMachineClock(onLeap: (ms: number) => void, machine = MACHINE): DatabaseClock {
  let offset = machine.clock() - machine.stopwatch();
  let sleepMs = machine.sinceBoot() - machine.stopwatch();
  let hasLeapt = false;

  function now(): Date {
    const time = machine.clock();
    if (follows(time)) return new Date(time);
    // Read only if needed, because it costs more than the others.
    const newSleepMs = machine.sinceBoot() - machine.stopwatch() - sleepMs;
    sleepMs += newSleepMs;
    offset += newSleepMs;
    if (follows(time)) return new Date(time);
    const continued = offset + machine.stopwatch();
    if (!hasLeapt) onLeap(time - continued);
    hasLeapt = true;
    return new Date(continued);
  }

  function follows(time: number): boolean {
    const newOffset = time - machine.stopwatch();
    if (Math.abs(newOffset - offset) > LEAP_MS) return false;
    offset = newOffset;
    hasLeapt = false;
    return true;
  }

  return { now, synchronize: async () => undefined };
}
