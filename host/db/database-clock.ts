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
