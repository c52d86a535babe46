import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

/** Drizzle over either engine; also what a transaction hands out. */
export type Orm = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** One prepared statement. `name` keeps its plan on the connection; the same name means the same text. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}
