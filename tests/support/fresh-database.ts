import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openServer } from '#host/db/client';
import { emptyTables, readSchema } from './emptied-tables';

const MIGRATIONS = 'host/db/migrations';
/** Any number but that of migrations: one process at a time makes the template. */
const TEMPLATE_LOCK = 5_120_917;

/** Migrated and empty databases that no test has at the moment. */
const free: { url: string; schema: string }[] = [];

/** An empty database of its own on a PostgreSQL server; `drop()` removes it whoever is connected. */
export function createFreshDatabase(server: string) {
  return createDatabase(server, 'template1');
}

/** The same with all tables. */
export async function createMigratedDatabase(server: string) {
  return createDatabase(server, await makeTemplate(server));
}

/** A migrated, empty database, opened. Closing hands it on to the next test; `tests/support/test-run.ts` drops it. */
export async function openFresh(server: string): Promise<Database> {
  const { url, schema } = free.pop() ?? (await createMigrated(server));
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

async function createMigrated(server: string) {
  const { url } = await createMigratedDatabase(server);
  return { url, schema: await readSchema({ connectionString: url }) };
}

async function createDatabase(server: string, template: string) {
  // Vitest's process names the run in its environment, and drops what has its name.
  const name = `test_${process.env.TEST_RUN}_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  await runOn(server, (client) => client.query(`create database ${name} template ${template}`));
  return {
    url: addressOf(server, name),
    drop: () => runOn(server, (client) => client.query(`drop database ${name} with (force)`)),
  };
}

/** The name of a database with all tables, which is made once for as long as the migrations stay the same. */
async function makeTemplate(server: string): Promise<string> {
  const name = `template_${digestOfMigrations()}`;
  await runOn(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    await client.query(`drop database if exists ${name}_unfinished with (force)`);
    await client.query(`create database ${name}_unfinished`);
    const db = openServer(addressOf(server, `${name}_unfinished`), () => undefined);
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

function addressOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function runOn(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
