import { isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';

/**
 * Rows that one node claims while it works on them. Claims expire by the database's own clock, so that neither another
 * node nor a jump of the product's clock can take what is being worked on.
 */
type Claimable = Record<'attempts' | 'claimedUntil', AnyPgColumn>;

export function isUnclaimed({ claimedUntil }: Claimable): SQL | undefined {
  return or(isNull(claimedUntil), lt(claimedUntil, sql`now()`));
}

/** What claims a row, and counts the attempt. */
export function claimFor({ attempts }: Claimable, seconds: number) {
  return { attempts: sql`${attempts} + 1`, claimedUntil: inSeconds(seconds) };
}

export function inSeconds(seconds: number | SQL): SQL {
  return sql`now() + make_interval(secs => ${seconds})`;
}
