import { uptime } from 'node:os';
import { sql } from 'drizzle-orm';
import type { Orm } from './client';

/** The time that all hosts of a database share, in place of what each machine's own clock says. */
export interface DatabaseClock {
  now(): Date;
  /** Reads the database's clock; rejects when the database does not answer. */
  synchronize(orm: Orm): Promise<void>;
}

/**
 * A PostgreSQL server's clock: its time when it was last read, and what a stopwatch has counted since. Until it was
 * read, the time of this machine when the program started.
 */
export function createServerClock(): DatabaseClock {
  let offset = Date.now() - performance.now();
  return {
    now: () => new Date(offset + performance.now()),
    synchronize: async (orm) => {
      const asked = performance.now();
      const { rows } = (await orm.execute(
        sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
      )) as unknown as { rows: { ms: number }[] };
      const [row] = rows;
      if (!row) throw new Error('the database did not say what time it is');
      // It was read between the question and the answer: within that, the clock need not change.
      offset = Math.min(Math.max(offset, row.ms - performance.now()), row.ms - asked);
    },
  };
}

/** Nobody corrects a running clock by more, except one that was wrong. */
const LEAP_MS = 3_600_000;

/** Milliseconds of the machine's clock, of a stopwatch that rests while the machine sleeps, and of one that does not. */
const MACHINE = {
  clock: () => Date.now(),
  stopwatch: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
};

/**
 * The embedded database has the machine's clock. It is followed through corrections and through sleep; where it is set
 * by more than an hour, time goes on as before until the program starts again, and `onLeap` hears by how many
 * milliseconds the machine's clock is ahead, once.
 */
export function createMachineClock(onLeap: (ms: number) => void, machine = MACHINE): DatabaseClock {
  let offset = machine.clock() - machine.stopwatch();
  let asleep = machine.sinceBoot() - machine.stopwatch();
  let hasLeapt = false;

  function now(): Date {
    const time = machine.clock();
    if (follows(time)) return new Date(time);
    // Only now, because it costs more than the others.
    const slept = machine.sinceBoot() - machine.stopwatch() - asleep;
    asleep += slept;
    offset += slept;
    if (follows(time)) return new Date(time);
    const goingOn = offset + machine.stopwatch();
    if (!hasLeapt) onLeap(time - goingOn);
    hasLeapt = true;
    return new Date(goingOn);
  }

  function follows(time: number): boolean {
    const found = time - machine.stopwatch();
    if (Math.abs(found - offset) > LEAP_MS) return false;
    offset = found;
    hasLeapt = false;
    return true;
  }

  return { now, synchronize: async () => undefined };
}
