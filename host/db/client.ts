import { resolve } from 'node:path';
import { drizzle, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { type PgDatabase, PgDialect, type PgQueryResultHKT } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { openEmbeddedThread } from './embedded';
import { listenOn } from './listening';

/** Drizzle over either engine; also what a transaction hands out. */
export type Orm = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** One prepared statement. `name` keeps its plan on the connection; the same name means the same text. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/** Connections of one kind, and how many requests wait for one. */
export interface PoolUse {
  pool: 'pages' | 'scans' | 'all';
  used: number;
  idle: number;
  waiting: number;
}

export interface Database {
  engine: 'pglite' | 'postgres';
  orm: Orm;
  /**
   * Runs one named prepared statement in a transaction of its own and answers its rows. On connections apart from
   * those of `orm`, so that pages cannot hold up scans; rejects after 10 seconds.
   */
  query<Row>(statement: Statement): Promise<Row[]>;
  /** Resolves when a statement was answered on every kind of connection there is; rejects after 2 seconds. */
  ping(): Promise<void>;
  /**
   * Calls back for every NOTIFY on the channel, from any node; answers how to stop. Listens again after a lost
   * connection, for as long as it takes, and then calls `onGap`.
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

const MIGRATIONS = resolve('host/db/migrations');
const CONNECT_MS = 3_000;
const QUERY_MS = 10_000;
const PING_MS = 2_000;
const KEEP_ALIVE_MS = 10_000;
/** Longer than any statement of ours takes; one whose server is gone is given up after it. */
const LONG_QUERY_MS = 300_000;
/** A transaction that nothing happens in belongs to a host that hangs: others may wait for its locks. */
const IDLE_TRANSACTION_MS = 60_000;
/** Any number, the same in all hosts of a database. */
const MIGRATION_LOCK = 7_843_254;

// Counts and sums are bigint to PostgreSQL and arrive as text; numbers where a number is exact.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
});

interface EmbeddedOptions {
  /** What to begin with instead of setting a database up: a tar file in memory, a folder where it is kept in one. */
  template?: string;
  /** Hears of an engine that broke, and of what keeps it from being opened again. */
  onError?: (error: Error) => void;
  /** How long the engine may be at one statement. */
  limitSeconds?: number;
  /** What runs the engine: a thread of this database's own unless given. */
  openThread?: typeof openEmbeddedThread;
}

/** Embedded PostgreSQL in a folder, or in memory when no folder is given. One process at a time has a folder. */
export async function openEmbedded(
  folder?: string,
  { template, onError = () => {}, limitSeconds, openThread = openEmbeddedThread }: EmbeddedOptions = {},
): Promise<Database> {
  const thread = await openThread({ folder, template }, onError, limitSeconds);
  // One connection, because the engine has one session; transactions wait for each other here.
  const pool = new pg.Pool({
    stream: thread.connect,
    user: 'postgres',
    database: 'postgres',
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: QUERY_MS,
  });
  surviveErrors([pool], () => undefined);
  const { orm, migrate } = overPool(pool);
  return {
    engine: 'pglite',
    orm,
    ping: () => ping([pool]),
    connections: () => [useOf('all', pool)],
    migrate: () => thread.withoutLimit(migrate),
    query: async <Row>(statement: Statement) => {
      const limited = { ...statement, query_timeout: QUERY_MS };
      return (await pool.query(limited)).rows as Row[];
    },
    listen: thread.listen,
    close: async () => {
      await pool.end();
      await thread.close();
    },
  };
}

interface ServerOptions {
  /**
   * The server itself, where `url` is that of a pooler such as pgbouncer, which gives every transaction another
   * connection: migrations and LISTEN need one of their own. Through a pooler no statement is named, and the server's
   * own time limits are those of the role.
   */
  directUrl?: string | undefined;
  /** Connections for pages, and those for scans and visits. */
  connections?: number;
  scanConnections?: number;
}

/** A PostgreSQL server. `onError` hears of connections lost while idle. */
export function openServer(
  url: string,
  onError: (error: Error) => void,
  { directUrl, connections = 10, scanConnections = 4 }: ServerOptions = {},
): Database {
  const options = {
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
  const limitedTo = directUrl === undefined ? limitsOf : clientLimitsOf;
  const pooled = { ...options, connectionString: url };
  const direct = { ...options, connectionString: directUrl ?? url };
  const pool = new pg.Pool({ ...pooled, max: connections, ...limitedTo(LONG_QUERY_MS) });
  const quick = new pg.Pool({ ...pooled, max: scanConnections, ...limitedTo(QUERY_MS) });
  surviveErrors([pool, quick], onError);
  const listeners = new Set<() => Promise<void>>();
  return {
    engine: 'postgres',
    ping: () => ping([pool, quick]),
    connections: () => [useOf('pages', pool), useOf('scans', quick)],
    ...overPool(pool),
    migrate: () => migrateServer(direct),
    query: async <Row>({ name, ...statement }: Statement) =>
      (await quick.query(directUrl === undefined ? { name, ...statement } : statement)).rows as Row[],
    listen: async (channel, onPayload, onGap) => {
      const stop = await listenOn(direct, channel, { onPayload, onGap, onError });
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    close: async () => {
      await Promise.all([...listeners].map((stop) => stop()));
      await Promise.all([pool.end(), quick.end()]);
    },
  };
}

/** Both ends give a statement up: the server, so that it holds no locks for nobody, and we, where the server is gone. */
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

/** Hosts that start together wait for each other, on a connection without a limit: a migration may take its time. */
async function migrateServer(options: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(options);
  // The statement under way rejects as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS });
  } finally {
    await client.end();
  }
}

function overPool(pool: pg.Pool): Pick<Database, 'orm' | 'migrate'> {
  const orm = drizzle(pool);
  orm.transaction = (work) => runInTransaction(pool, work as (transaction: Orm) => Promise<never>);
  return { orm: orm as unknown as Orm, migrate: () => migrate(orm, { migrationsFolder: MIGRATIONS }) };
}

/**
 * Hears every connection for as long as it lives: a pool hears its own only while they are idle, and one that breaks
 * between two statements of a transaction would end the process.
 */
function surviveErrors(pools: pg.Pool[], onError: (error: Error) => void): void {
  for (const pool of pools) {
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', onError));
  }
}

function useOf(name: PoolUse['pool'], { totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { pool: name, used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}

async function ping(pools: pg.Pool[]): Promise<void> {
  const answers = Promise.all(pools.map((pool) => pool.query('select 1')));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer of the database in ${PING_MS} ms`)), PING_MS);
  });
  await Promise.race([answers, late]).finally(() => clearTimeout(timer));
}

type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];

/** A connection that does not even take back a transaction within it is broken. */
const ROLLBACK_MS = 5_000;

/**
 * Runs work in a transaction on a connection of its own, which goes back to the pool whatever happens, and is closed
 * where it is not known to be idle. Drizzle's own keeps a connection whose BEGIN failed for good.
 */
async function runInTransaction<T>(
  pool: pg.Pool,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isIdle = false;
  try {
    await client.query('begin');
    const result = await work(transactionOn(client));
    const { command } = await client.query('commit');
    isIdle = true;
    // What PostgreSQL answers where a statement failed and the work went on as if it had not.
    if (command === 'ROLLBACK')
      throw new Error('the transaction was rolled back: one of its statements failed');
    return result;
  } catch (thrown) {
    isIdle ||= await isRolledBack(client);
    throw thrown;
  } finally {
    client.release(!isIdle);
  }
}

function transactionOn(client: pg.PoolClient): Transaction {
  const dialect = new PgDialect();
  const session = new NodePgSession<Record<string, never>, Record<string, never>>(client, dialect, undefined);
  return new NodePgTransaction(dialect, session, undefined) as unknown as Transaction;
}

async function isRolledBack(client: pg.PoolClient): Promise<boolean> {
  const rollback: pg.QueryConfig & { query_timeout: number } = {
    text: 'rollback',
    query_timeout: ROLLBACK_MS,
  };
  return client.query(rollback).then(
    () => true,
    () => false,
  );
}
