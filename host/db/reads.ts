import type { SQL } from 'drizzle-orm';
import type { Orm } from './orm';
import type { WalPosition } from './wal-positions';

/** Read-only work: it may be started on a replica, abandoned there, and repeated on the primary. */
export type ReadWork<T> = (orm: Orm, behindMs: number) => Promise<T>;

/** Reads that may use a replica. `since` is the primary's write position when the request came in; null if unknown. */
export interface Reads {
  /** On a replica that has everything committed until then, so that users see their own writes; else on the primary. */
  exact<T>(since: WalPosition | null, work: ReadWork<T>): Promise<T>;
  /** Like `exact`, but also on a replica that lags by up to a minute; the lag is passed to the work. */
  figures<T>(since: WalPosition | null, work: ReadWork<T>): Promise<T>;
  /**
   * Rows from a replica, and a time of `performance.now()` up to which they have all commits, 0 if unknown; null if no
   * replica responds, or it lags by more than a minute while the primary is up.
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
