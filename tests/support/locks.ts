import { sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';

/** How many statements wait for a lock in this database. */
export async function countWaiting(orm: Orm): Promise<number> {
  const waiting = sql`select distinct pid from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`;
  return (await readRows(orm, waiting)).length;
}
