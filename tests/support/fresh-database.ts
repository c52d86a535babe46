import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openServer } from '#host/db/client';
import { emptyTables, readSchema } from './emptied-tables';
import { checkStatusChanges } from './status-changes';

const MIGRATIONS = 'host/db/migrations';
/** Advisory lock for creating the template, distinct from that of migrations. */
const TEMPLATE_LOCK = 5_120_917;

/** The PostgreSQL server of this run: `test-run.ts` starts one unless TEST_DATABASE_URL names another. */
export const serverUrl = () => process.env.TEST_DATABASE_URL ?? '';

/** Migrated, empty databases that no test is using. */
const free: { url: string; schema: string }[] = [];

/** Creates an empty database; `drop()` removes it even with open connections. */
export function createFreshDatabase() {
  return createDatabase('template1');
}

/** Like `createFreshDatabase`, but with all migrations applied. */
export async function createMigratedDatabase() {
  return createDatabase(await makeTemplate());
}

/** Opens a database without any migration; closing drops it. */
export async function openUnmigrated(): Promise<Database> {
  const { url, drop } = await createFreshDatabase();
  const db = openServer(url, () => undefined);
  return { ...db, close: () => db.close().then(drop) };
}

/** Opens a migrated, empty database. Closing frees it for the next test; `test-run.ts` finally drops it. */
export async function openFresh(): Promise<Database> {
  const { url, schema } = free.pop() ?? (await createMigrated());
  const db = openServer(url, () => undefined);
  return {
    ...db,
    migrate: async () => undefined,
    close: async () => {
      await db.close();
      if ((await emptyTables({ connectionString: url })) === schema) free.push({ url, schema });
    },
  };
}

async function createMigrated() {
  const { url } = await createMigratedDatabase();
  await checkStatusChanges(url);
  return { url, schema: await readSchema({ connectionString: url }) };
}

async function createDatabase(template: string) {
  // `test-run.ts` sets TEST_RUN in Vitest's main process and drops all databases with this prefix at the end.
  const name = `test_${process.env.TEST_RUN}_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  await runOn(serverUrl(), (client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(name),
    drop: () => runOn(serverUrl(), (client) => client.query(`drop database ${name} with (force)`)),
  };
}

/** Name of the migrated template database, which is created once per version of the migrations. */
async function makeTemplate(): Promise<string> {
  const name = `template_${digestOfMigrations()}`;
  await runOn(serverUrl(), async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    await client.query(`drop database if exists ${name}_unfinished with (force)`);
    await client.query(`create database ${name}_unfinished`);
    const db = openServer(urlOf(`${name}_unfinished`), () => undefined);
    await db.migrate();
    await db.close();
    await client.query(`alter database ${name}_unfinished rename to ${name}`);
  });
  return name;
}

function digestOfMigrations(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.endsWith('.sql')) hash.update(file).update(readFileSync(join(MIGRATIONS, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function urlOf(name: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function runOn(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
