import { sql } from 'drizzle-orm';
import { bigint, customType, timestamp } from 'drizzle-orm/pg-core';
import { DAY_MS } from '#contract/time';

/** A point in time (`timestamptz`), read as a `Date`. */
export const timestamptz = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });

/**
 * A counter that anyone can increase without limit. Visits of all accounts are counted in one statement, so an overflow
 * would block everybody's. In SQL a sum of counters is `numeric`, which arrives as text: use `sum(...)::bigint`.
 */
export const counter = (name: string) => bigint(name, { mode: 'number' });

export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/**
 * The transaction that last wrote the row. With `pg_snapshot_xmin` of an earlier snapshot, everything committed since
 * then is among the rows from that number on, independent of clocks.
 */
export const writtenIn = (name: string) =>
  bigint(name, { mode: 'number' }).notNull().default(sql`(pg_current_xact_id()::text)::bigint`);

/**
 * How long deduplication keys are kept: 13 months, so that yearly work still finds the key of the previous year.
 */
export const DEDUPE_RETENTION_MS = 396 * DAY_MS;
