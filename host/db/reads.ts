import type { SQL } from 'drizzle-orm';
import type { Orm } from './orm';
import type { WalPosition } from './wal-positions';

/** Work that only reads: it may be begun on a replica, given up there, and done again on the primary. */
export type ReadWork<T> = (orm: Orm, behindMs: number) => Promise<T>;

/** Reads that need not be done on the primary. `since` is how far it had written when somebody asked; null for unknown. */
export interface Reads {
  /** On a replica that has all that was committed until then, so that everybody sees what they wrote; else on the primary. */
  exact<T>(since: WalPosition | null, work: ReadWork<T>): Promise<T>;
  /** The same, but also on a replica that is late by up to a minute; the work is given how late. */
  figures<T>(since: WalPosition | null, work: ReadWork<T>): Promise<T>;
  /**
   * Rows of a replica, and a time of `performance.now()` whose commits they all have, 0 where none is known; null
   * where no replica answers, or one that is late by more than a minute while the primary is there.
   */
  lookUp<Row>(query: SQL): Promise<{ rows: Row[]; asOf: number } | null>;
}

export function readPrimary(orm: Orm): Reads {
  return {
    exact: (_, work) => work(orm, 0),
    figures: (_, work) => work(orm, 0),
    lookUp: async () => null,
  };
}
