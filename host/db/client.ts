import { resolve } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { setRealTimePolicy } from '../../runtime/priority.mjs';
import { Listening } from './listening';
import { closeLostConnections, processIdOf } from './lost-connections';
import type { Orm, Statement } from './orm';
import { type Reads, Replica, readPrimary } from './replica';
import { withTimeout } from './timeout';
import { handleConnectionErrors, runInTransaction, runOnConnection } from './transaction';

export type { Orm, Statement } from './orm';

/** The connections of one pool, and how many requests wait for one. */
export interface PoolUse {
  pool: 'pages' | 'scans';
  used: number;
  idle: number;
  waiting: number;
}

/** Runs one named prepared statement and returns its rows. */
export type Query = <Row>(statement: Statement) => Promise<Row[]>;

export interface Database {
  orm: Orm;
  /** In a transaction of its own, on other connections than `orm`, so that pages cannot block scans; for 10 seconds. */
  query: Query;
  /** Runs such statements in one transaction, each of which sees what others have committed before it. */
  inTransaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Reads that may use a replica, if there is one. */
  reads: Reads;
  /**
   * Resolves when a statement has succeeded on a connection of every pool; rejects after 2 seconds, or if the server is
   * read-only or has another installation's database.
   */
  ping(): Promise<void>;
  /**
   * Calls back for every NOTIFY on the channel, from any node; returns a function that stops listening. Reconnects
   * after a lost connection, however long that takes, and then calls `onGap`.
   */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  /** How many connections are in use at the moment. */
  connections(): PoolUse[];
  migrate(): Promise<void>;
  close(): Promise<void>;
}

/** Thrown if the server is read-only: a replica, or configured so. */
export class ReadOnlyServer extends Error {
  constructor() {
    super('the server of the database is read-only, such as a replica is');
  }
}

interface Writability {
  isReadOnly: boolean;
}

const WRITABILITY = `select current_setting('transaction_read_only')::boolean as "isReadOnly"`;

function requireWritable(found: Writability | undefined): void {
  if (found?.isReadOnly) throw new ReadOnlyServer();
}

const MIGRATIONS = resolve('host/db/migrations');
const CONNECT_MS = 3_000;
const QUERY_MS = 10_000;
const PING_MS = 2_000;
const KEEP_ALIVE_MS = 10_000;
/** Longer than any of our statements takes. */
const LONG_QUERY_MS = 300_000;
/** An idle transaction belongs to a hanging host, and others may wait for its locks. */
const IDLE_TRANSACTION_MS = 60_000;
/** An arbitrary number, the same in all hosts of a database. */
const MIGRATION_LOCK = 7_843_254;
const MIGRATION_WAIT_MS = 2_000;

// PostgreSQL returns counts and sums as bigint, which arrives as text; converted to a number if that is exact.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
});

/** A connection, or a pool of them. */
export interface Connection {
  query<Row extends pg.QueryResultRow>(
    statement: Omit<Statement, 'name'> & { query_timeout?: number },
  ): Promise<{ rows: Row[] }>;
}

interface ServerOptions {
  /** Checks every new connection before it is used; one for which it rejects is closed. */
  verify?: ((connection: Connection) => Promise<void>) | undefined;
  /**
   * The server itself, if `url` is a pooler such as pgbouncer, which may use another connection for every transaction:
   * migrations and LISTEN need a dedicated one. Through a pooler statements are not named, and time limits are those of
   * the role.
   */
  directUrl?: string | undefined;
  /** A replica, or a proxy in front of several. */
  readUrl?: string | undefined;
  /** Whether it is the embedded server: its processes that serve scans run before other programs. */
  isEmbedded?: boolean;
  /** Connections for pages, and for scans and visits; as many again to a replica. */
  connections?: number;
  scanConnections?: number;
}

/** A PostgreSQL server. `onError` is called for connections lost while idle. */
export function openServer(
  url: string,
  onError: (error: Error) => void,
  {
    verify = async () => undefined,
    directUrl,
    readUrl,
    isEmbedded = false,
    connections = 10,
    scanConnections = 4,
  }: ServerOptions = {},
): Database {
  const options = {
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
  const limitedTo = directUrl === undefined ? limitsOf : clientLimitsOf;
  const onConnect = async (client: Connection) => {
    await verify(client).catch((error: Error) => {
      onError(error);
      throw error;
    });
  };
  const pooled = { ...options, connectionString: url };
  const direct = { ...options, connectionString: directUrl ?? url };
  const pool = new pg.Pool({ ...pooled, onConnect, max: connections, ...limitedTo(LONG_QUERY_MS) });
  const scanPool = new pg.Pool({
    ...pooled,
    onConnect,
    max: scanConnections,
    ...limitedTo(QUERY_MS),
    // Nobody else needs the connections: a visit after a quiet time does not wait for a new one.
    ...(isEmbedded && { idleTimeoutMillis: 0 }),
  });
  if (isEmbedded) scanPool.on('connect', (client) => setRealTimePolicy(processIdOf(client)));
  handleConnectionErrors([pool, scanPool], onError);
  const stopClosing = closeLostConnections([pool, scanPool], pooled, onError);
  const listening = new Listening({ ...direct, ...clientLimitsOf(QUERY_MS) }, onError, verify);
  const orm = overPool(pool);
  const queryOn =
    (connection: Pick<pg.Pool | pg.PoolClient, 'query'>): Query =>
    async <Row>({ name, ...statement }: Statement) =>
      (await connection.query(directUrl === undefined ? { name, ...statement } : statement)).rows as Row[];
  const query = queryOn(scanPool);
  const replicaPools = {
    pages: { ...options, onConnect: verify, max: connections },
    scans: { ...options, onConnect: verify, max: scanConnections },
  };
  const replica = readUrl === undefined ? null : new Replica(readUrl, replicaPools, { orm, query }, onError);
  return {
    orm,
    query,
    inTransaction: (work) =>
      runOnConnection(scanPool, (client) => work(queryOn(client)), 'begin isolation level read committed'),
    reads: replica ?? readPrimary(orm),
    ping: () => ping([pool, scanPool], verify),
    connections: () => [useOf('pages', pool), useOf('scans', scanPool)],
    migrate: () => migrateServer(direct, verify),
    listen: (channel, onPayload, onGap) => listening.listen({ channel, onPayload, onGap }),
    close: async () => {
      await listening.close();
      await Promise.all([pool.end(), scanPool.end(), replica?.close()]);
      stopClosing();
    },
  };
}

/** Both ends time out: the server, so that no locks are kept for nothing, and the client, if the server is gone. */
function limitsOf(ms: number): pg.ClientConfig {
  return {
    ...clientLimitsOf(ms),
    statement_timeout: ms,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  };
}

function clientLimitsOf(ms: number): pg.ClientConfig {
  return { query_timeout: ms };
}

/**
 * Hosts that start together wait for each other, on a connection without time limits, as a migration may take long. For
 * a table that others have locked, such as a backup, it does not wait long, because later queries on that table queue
 * behind it; it is then rolled back and has to be retried.
 */
export async function migrateServer(
  options: pg.ClientConfig,
  verify: (connection: Connection) => Promise<void> = async () => undefined,
  folder = MIGRATIONS,
): Promise<void> {
  const client = new pg.Client(options);
  // The running statement rejects as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    requireWritable((await client.query<Writability>(WRITABILITY)).rows[0]);
    await verify(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(`set lock_timeout = ${MIGRATION_WAIT_MS}`);
    await migrate(drizzle(client), { migrationsFolder: folder });
  } finally {
    await client.end();
  }
}

function overPool(pool: pg.Pool): Orm {
  const orm = drizzle(pool);
  orm.transaction = (work) => runInTransaction(pool, work as (transaction: Orm) => Promise<never>);
  return orm as unknown as Orm;
}

function useOf(name: PoolUse['pool'], { totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { pool: name, used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

async function ping(
  pools: pg.Pool[],
  verify: (connection: Connection) => Promise<void> = async () => undefined,
): Promise<void> {
  const pings = pools.map(async (pool) => {
    requireWritable((await pool.query<Writability>(WRITABILITY)).rows[0]);
    // A pooler may have another server by now.
    await verify(pool);
  });
  await withTimeout(Promise.all(pings), PING_MS);
}
