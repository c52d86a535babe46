import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedPostgres } from '../../runtime/postgres/postgres.mjs';

/**
 * Starts the PostgreSQL server of this run, unless TEST_DATABASE_URL names one. Sets TEST_RUN, the name prefix of this
 * run's databases, which are dropped at its end.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Another project of this run has done it.
  if (process.env.TEST_RUN) return async () => undefined;
  const run = randomUUID().slice(0, 8);
  process.env.TEST_RUN = run;
  const server = process.env.TEST_DATABASE_URL;
  return server ? () => dropDatabases(server, run) : startServer();
}

/** Its data is gone with the run, so nothing waits for the disk. */
async function startServer(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const server = await EmbeddedPostgres.prepare(folder, { isDisposable: true });
  await server.start();
  process.env.TEST_DATABASE_URL = server.url;
  // Also if the run is interrupted.
  const end = () => void process.kill(server.pid, 'SIGQUIT');
  process.once('exit', end);
  return async () => {
    process.off('exit', end);
    await server.stop();
    rmSync(folder, { recursive: true });
  };
}

async function dropDatabases(server: string, run: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [`test_${run}_`],
  );
  for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  await client.end();
}
