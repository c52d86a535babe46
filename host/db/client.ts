import { resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle as drizzleNode } from 'drizzle-orm/node-postgres';
import { migrate as migrateNode } from 'drizzle-orm/node-postgres/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import pg from 'pg';

/** Drizzle over either engine; also what a transaction hands out. */
export type Orm = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** One prepared statement of a batch. `name` keeps its plan on the connection. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

export interface Database {
  engine: 'pglite' | 'postgres';
  orm: Orm;
  /** Runs one named prepared statement and answers its rows. */
  query<Row>(statement: Statement): Promise<Row[]>;
  /** Runs the statements in one transaction; resolves when it has committed. */
  commit(statements: Statement[]): Promise<void>;
  /** Calls back for every NOTIFY on the channel, from any node; answers how to stop. Re-listens after a lost connection and then calls `onGap`. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  migrate(): Promise<void>;
  close(): Promise<void>;
}

const MIGRATIONS = resolve('host/db/migrations');

/** Embedded PostgreSQL in a folder, or in memory when no folder is given. */
export async function openEmbedded(folder?: string): Promise<Database> {
  const client = await PGlite.create(folder ? { dataDir: folder } : {});
  const orm = drizzlePglite(client);
  return {
    engine: 'pglite',
    orm: orm as unknown as Orm,
    query: async <Row>({ text, values }: Statement) => (await client.query<Row>(text, values)).rows,
    commit: (statements) =>
      client.transaction(async (transaction) => {
        for (const { text, values } of statements) await transaction.query(text, values);
      }),
    listen: (channel, onPayload) => client.listen(channel, onPayload),
    migrate: () => migratePglite(orm, { migrationsFolder: MIGRATIONS }),
    close: () => client.close(),
  };
}

/** A PostgreSQL server. `onError` hears of connections lost while idle. */
export function openServer(url: string, onError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
  });
  pool.on('error', onError);
  const orm = drizzleNode(pool);
  const listeners = new Set<() => Promise<void>>();
  return {
    engine: 'postgres',
    orm: orm as unknown as Orm,
    query: async <Row>(statement: Statement) => (await pool.query(statement)).rows as Row[],
    commit: (statements) => commitOn(pool, statements),
    listen: async (channel, onPayload, onGap) => {
      const stop = await listenOn(url, channel, { onPayload, onGap, onError });
      listeners.add(stop);
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    migrate: () => migrateNode(orm, { migrationsFolder: MIGRATIONS }),
    close: async () => {
      await Promise.all([...listeners].map((stop) => stop()));
      await pool.end();
    },
  };
}

async function commitOn(pool: pg.Pool, statements: Statement[]): Promise<void> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    for (const statement of statements) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

interface Ears {
  onPayload: (payload: string) => void;
  onGap: (() => void) | undefined;
  onError: (error: Error) => void;
}

async function listenOn(url: string, channel: string, ears: Ears): Promise<() => Promise<void>> {
  let stopped = false;
  let current: pg.Client;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const client = new pg.Client({ connectionString: url, keepAlive: true });
    current = client;
    client.on('notification', (message) => ears.onPayload(message.payload ?? ''));
    client.on('error', ears.onError);
    client.on('end', reconnect);
    await client.connect();
    await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  function reconnect(): void {
    if (stopped) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      connect().then(
        () => ears.onGap?.(),
        (error: Error) => {
          ears.onError(error);
          reconnect();
        },
      );
    }, 1000);
  }

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await current.end();
  };
}
