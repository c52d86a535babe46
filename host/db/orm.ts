import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** Drizzle over the pool of connections, or within a transaction. */
export type Orm = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** A prepared statement, whose plan is cached on the connection by `name`; a name must always have the same text. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

export async function readRows<Row>(orm: Orm, query: SQL): Promise<Row[]> {
  const { rows } = (await orm.execute(query)) as unknown as { rows: Row[] };
  return rows;
}

/** A statement waited longer for a lock than `lock_timeout` allows. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** A statement names a table that does not exist. */
export const UNDEFINED_TABLE = '42P01';

/** Whether an error, or one of its causes, has this PostgreSQL error code. */
export function hasCode(error: unknown, wanted: string): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === wanted || (cause instanceof Error && hasCode(cause, wanted));
}
