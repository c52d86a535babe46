import { setTimeout as delay } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import pg from 'pg';
import { type Orm, readRows, type Statement } from './orm';
import { withTimeout } from './timeout';
import { handleConnectionErrors, runInTransaction } from './transaction';

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

/** A position in the write-ahead log of a server, in bytes: everything committed earlier has a lower one. */
export type WalPosition = number;

/** SQL for the write position of a server; null if it is a replica. */
export const WRITTEN = `(case when not pg_is_in_recovery() then pg_current_wal_lsn() end - '0/0'::pg_lsn)::bigint`;

/** SQL for the position up to which a replica has replayed, or any other server has written. */
const REACHED = `(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end
  - '0/0'::pg_lsn)::bigint`;

/** Positions of the primary over time, so that the age of a replica is known without comparing two clocks. */
interface WalHistory {
  /** Records the primary's position at a time. */
  note(time: number, position: WalPosition): void;
  /** The last known time whose commits are all before this position; null if none is known. */
  timeOf(position: WalPosition): number | null;
}

const MAX_ENTRIES = 120;

/** Times must be monotonic. A primary behind the last position is a new one: positions of the old one are dropped. */
function createWalHistory(): WalHistory {
  let history: { time: number; position: WalPosition }[] = [];
  return {
    note(time, position) {
      const last = history.at(-1);
      if (last && position < last.position) history = [];
      else if (last?.position === position) history.pop();
      history.push({ time, position });
      if (history.length > MAX_ENTRIES) history.shift();
    },
    timeOf: (position) => history.findLast((one) => one.position <= position)?.time ?? null,
  };
}

interface Primary {
  orm: Orm;
  query<Row>(statement: Statement): Promise<Row[]>;
}

const CHECK_MS = 1_000;
const CHECK_LIMIT_MS = 1_000;
const PAGE_LIMIT_MS = 60_000;
const LOOK_UP_LIMIT_MS = 500;
/** A replica that lags more than this is not used. */
const MAX_BEHIND_MS = 60_000;
/** If it lags more than this, reads do not wait for it. */
const LATE_MS = 2 * CHECK_MS;
/** How long a read waits for it to catch up with recent commits. */
const PAUSES_MS = [5, 10, 20, 40, 80];

/**
 * Reads from a replica, which is checked every second: one that is down, hangs or lags too much is not used until it
 * recovers. Reads that it did not complete are repeated on the primary.
 */
export class Replica implements Reads {
  readonly #primary: Primary;
  readonly #onError: (error: Error) => void;
  readonly #pool: pg.Pool;
  readonly #scanPool: pg.Pool;
  readonly #inUse: Set<pg.PoolClient>;
  readonly #history = createWalHistory();
  readonly #waiting = new Set<(error: Error) => void>();
  #isPrimaryUp = false;
  /** At the last check; null if it did not respond. */
  #reached: WalPosition | null = null;
  #isLate = false;
  #isChecking = false;
  #isClosed = false;
  readonly #timer: NodeJS.Timeout;

  constructor(
    url: string,
    { pages, scans }: { pages: pg.PoolConfig; scans: pg.PoolConfig },
    primary: Primary,
    onError: (error: Error) => void,
  ) {
    this.#primary = primary;
    this.#onError = onError;
    this.#pool = new pg.Pool({ ...pages, connectionString: url, query_timeout: PAGE_LIMIT_MS });
    this.#scanPool = new pg.Pool({ ...scans, connectionString: url, query_timeout: LOOK_UP_LIMIT_MS });
    // While it is down, every check may lose a connection.
    handleConnectionErrors([this.#pool, this.#scanPool], (error) => this.#reached !== null && onError(error));
    this.#inUse = listInUse([this.#pool, this.#scanPool]);
    this.#check();
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  async exact<T>(since: WalPosition | null, work: ReadWork<T>): Promise<T> {
    if (since === null || this.#reached === null || this.#isLate) return work(this.#primary.orm, 0);
    return this.#read(since, 0, work);
  }

  async figures<T>(since: WalPosition | null, work: ReadWork<T>): Promise<T> {
    if (since === null || this.#reached === null || this.#behindOf(this.#reached) > MAX_BEHIND_MS)
      return work(this.#primary.orm, 0);
    return this.#read(since, MAX_BEHIND_MS, work);
  }

  async lookUp<Row>(query: SQL): Promise<{ rows: Row[]; asOf: number } | null> {
    if (this.#reached === null) return null;
    if (this.#isPrimaryUp && this.#behindOf(this.#reached) > MAX_BEHIND_MS) return null;
    try {
      const lookingUp = readOn(this.#scanPool, LOOK_UP_LIMIT_MS, async (orm) => {
        const asOf = this.#history.timeOf(await readReached(orm)) ?? 0;
        return { rows: await readRows<Row>(orm, query), asOf };
      });
      return await withTimeout(lookingUp, LOOK_UP_LIMIT_MS);
    } catch {
      this.#check();
      return null;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([this.#pool.end(), this.#scanPool.end()]);
  }

  #check(): void {
    if (this.#isClosed || this.#isChecking) return;
    this.#isChecking = true;
    Promise.all([this.#checkPrimary(), this.#checkReplica()]).finally(() => {
      this.#isChecking = false;
    });
  }

  async #checkPrimary(): Promise<void> {
    const requestedAt = performance.now();
    const statement = { name: 'wal_written', text: `select ${WRITTEN} as position`, values: [] };
    const rows = await this.#primary.query<{ position: WalPosition | null }>(statement).catch(() => []);
    const position = rows[0]?.position ?? null;
    this.#isPrimaryUp = position !== null;
    if (position !== null) this.#history.note(requestedAt, position);
  }

  async #checkReplica(): Promise<void> {
    try {
      this.#reached = await withTimeout(
        readOn(this.#scanPool, LOOK_UP_LIMIT_MS, readReached),
        CHECK_LIMIT_MS,
      );
      this.#isLate = this.#behindOf(this.#reached) > LATE_MS;
    } catch (cause) {
      if (this.#reached !== null && !this.#isClosed) {
        this.#onError(new Error('the replica does not respond: reading from the primary instead', { cause }));
      }
      this.#reached = null;
      for (const giveUp of this.#waiting) giveUp(new Error('the replica does not respond'));
      // Their statements may never end, and would occupy the pools of a replica that is back.
      for (const client of this.#inUse) client.connection.stream.destroy();
    }
  }

  #behindOf(position: WalPosition): number {
    const writtenAt = this.#history.timeOf(position);
    return writtenAt === null ? Number.POSITIVE_INFINITY : performance.now() - writtenAt;
  }

  /** Its lag; 0 if it has everything committed by then, possibly after a short wait. */
  async #catchUp(orm: Orm, since: WalPosition): Promise<number> {
    let position = await readReached(orm);
    for (const ms of this.#isLate ? [] : PAUSES_MS) {
      if (position >= since) break;
      await delay(ms);
      position = await readReached(orm);
    }
    if (position >= since) return 0;
    this.#isLate = true;
    return this.#behindOf(position);
  }

  async #read<T>(since: WalPosition, maxBehindMs: number, work: ReadWork<T>): Promise<T> {
    try {
      const outcome = await this.#abortIfDown(
        readOn(this.#pool, PAGE_LIMIT_MS, async (orm) => {
          const behindMs = await this.#catchUp(orm, since);
          return behindMs > maxBehindMs ? null : { result: await work(orm, behindMs) };
        }),
      );
      if (outcome) return outcome.result;
    } catch {
      // The replica or the work itself failed; in the latter case it fails again on the primary.
      this.#check();
    }
    return work(this.#primary.orm, 0);
  }

  /** Rejects as soon as the replica is known to be down, so that nothing waits for one that hangs. */
  async #abortIfDown<T>(work: Promise<T>): Promise<T> {
    let giveUp = (_: Error) => {};
    const down = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    this.#waiting.add(giveUp);
    return Promise.race([work, down]).finally(() => this.#waiting.delete(giveUp));
  }
}

/** The connections that are in use at any moment. */
function listInUse(pools: pg.Pool[]): Set<pg.PoolClient> {
  const inUse = new Set<pg.PoolClient>();
  for (const pool of pools) {
    pool.on('acquire', (client) => inUse.add(client));
    pool.on('release', (_, client) => inUse.delete(client));
  }
  return inUse;
}

/** In one transaction, because each transaction may reach another of several replicas. */
function readOn<T>(pool: pg.Pool, limitMs: number, work: (orm: Orm) => Promise<T>): Promise<T> {
  return runInTransaction(pool, work, `begin read only; set local statement_timeout = ${limitMs}`);
}

async function readReached(orm: Orm): Promise<WalPosition> {
  const [row] = await readRows<{ position: WalPosition | null }>(
    orm,
    sql`select ${sql.raw(REACHED)} as position`,
  );
  if (typeof row?.position !== 'number') throw new Error('the replica does not say how far it has come');
  return row.position;
}
