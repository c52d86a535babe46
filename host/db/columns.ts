import { sql } from 'drizzle-orm';
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';

/** A point in time (`timestamptz`), read as a `Date`. */
export const timestamptz = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/**
 * What anyone may add to for ever. Visits of all accounts are counted in one statement: a counter that overflows would
 * hold up everybody's. In SQL a sum of counters is `numeric`, which arrives as text: `sum(...)::bigint`.
 */
export const counter = (name: string) => bigint(name, { mode: 'number' });

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/**
 * The transaction that wrote the row last. Whoever kept `pg_snapshot_xmin` of a snapshot finds everything that was
 * committed after it among the rows from that number on, whatever clocks say.
 */
export const writtenIn = (name: string) =>
  bigint(name, { mode: 'number' }).notNull().default(sql`(pg_current_xact_id()::text)::bigint`);
