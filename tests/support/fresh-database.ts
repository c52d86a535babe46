import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Database, openServer } from '#host/db/client';

/** An empty database of its own on a PostgreSQL server; `drop()` removes it whoever is connected. */
export async function createFreshDatabase(server: string) {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await runOn(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOn(server, `drop database ${name} with (force)`) };
}

/** The same, opened; dropped when it is closed. */
export async function openFresh(server: string): Promise<Database> {
  const { url, drop } = await createFreshDatabase(server);
  const db = openServer(url, () => undefined);
  return {
    ...db,
    close: async () => {
      await db.close();
      await drop();
    },
  };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
