import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** Drizzle over either engine, or within a transaction. */
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
