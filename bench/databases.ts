import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openServer } from '#host/db/client';
import { EmbeddedPostgres } from '../runtime/postgres/postgres.mjs';
import type { Row } from './row';

/** A new, empty database, and the settings for a host to use it. */
export interface BenchDatabase {
  env: Record<string, string>;
  open(): Promise<Database>;
  clear(): Promise<void>;
}

interface Server {
  url: string;
  stop(): Promise<void>;
}

let server: Promise<Server> | undefined;

/** Measures on a database of the server of BENCH_DATABASE_URL, or of one that is started as `npm start` does. */
export async function withDatabase(measure: (database: BenchDatabase) => Promise<Row[]>): Promise<Row[]> {
  const database = await createDatabase();
  try {
    return await measure(database);
  } finally {
    await database.clear();
  }
}

/** Measures on several databases side by side. */
export async function withDatabases(
  count: number,
  measure: (databases: BenchDatabase[]) => Promise<Row[]>,
): Promise<Row[]> {
  const databases: BenchDatabase[] = [];
  try {
    while (databases.length < count) databases.push(await createDatabase());
    return await measure(databases);
  } finally {
    for (const database of databases) await database.clear();
  }
}

/** Stops the server if one was started. */
export async function stopServer(): Promise<void> {
  await (await server)?.stop();
}

/** Creates a database; clearing also removes the data folder of the hosts that use it. */
export async function createDatabase(): Promise<BenchDatabase> {
  server ??= startServer();
  const { url: serverUrl } = await server;
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await runOn(serverUrl, `create database ${name}`);
  return {
    env: { DATABASE_URL: url.href, DATA_DIR: folder },
    open: async () => openServer(url.href, () => undefined),
    clear: async () => {
      rmSync(folder, { recursive: true });
      await runOn(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

async function startServer(): Promise<Server> {
  const { BENCH_DATABASE_URL } = process.env;
  if (BENCH_DATABASE_URL) return { url: BENCH_DATABASE_URL, stop: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'bench-postgres-'));
  const started = await EmbeddedPostgres.prepare(folder);
  await started.start();
  return {
    url: started.url,
    stop: async () => {
      await started.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
