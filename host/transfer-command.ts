import { existsSync } from 'node:fs';
import { orExit } from '#runtime/startup-error';
import { PostgresUnavailable } from '../runtime/postgres/postgres.mjs';
import { withDatabaseUrl, withEmbeddedDatabase } from './command-database';
import { type Database, openServer } from './db/client';
import { requireReadable, restoreBackup, writeBackup } from './db/transfer/backup-file';
import { moveDatabase, TransferError } from './db/transfer/filling';
import type { Digest } from './db/transfer/tables';
import { readDatabasePlace } from './env';

// `npm run db:move`, `db:backup -- FILE` and `db:restore -- FILE`; see docs/commands.md.

if (existsSync('.env')) process.loadEnvFile('.env');
const place = orExit(readDatabasePlace);
const [command, file] = process.argv.slice(2);

try {
  const began = performance.now();
  const digests = await run();
  for (const [table, { rows, sum }] of digests) {
    process.stdout.write(`${table.padEnd(28)}${String(rows).padStart(12)}  ${sum}\n`);
  }
  const rows = [...digests.values()].reduce((total, digest) => total + digest.rows, 0);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${digests.size} tables, ${rows} rows, read back and equal: ${seconds} s\n`);
} catch (error) {
  process.exitCode = 1;
  const isSentence = error instanceof TransferError || error instanceof PostgresUnavailable;
  process.stderr.write(`${isSentence ? error.message : ((error as Error).stack ?? error)}\n`);
}

async function run(): Promise<Map<string, Digest>> {
  if (command === 'move') {
    const target = serverUrl();
    if (!target) throw new TransferError('db:move needs DATABASE_URL, the server to move to');
    return withEmbeddedDatabase(place, (url) =>
      withOpened(url, (from) => withMigrated(target, (to) => moveDatabase(from, to))),
    );
  }
  if (!file)
    throw new TransferError(`db:${command} needs the path of a file: npm run db:${command} -- backup.gz`);
  if (command === 'backup')
    return withDatabaseUrl(place, (url) => withOpened(serverUrl() ?? url, (db) => writeBackup(db, file)));
  if (command !== 'restore') throw new TransferError(`unknown command: ${command}`);
  await requireReadable(file);
  return withDatabaseUrl(place, (url) => withMigrated(serverUrl() ?? url, (db) => restoreBackup(db, file)), {
    create: true,
  });
}

/** The operator's server itself, not a pooler in front of it. */
function serverUrl(): string | undefined {
  return place.DATABASE_URL && (place.DATABASE_DIRECT_URL ?? place.DATABASE_URL);
}

async function withOpened<Result>(url: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = openServer(url, (error) => process.stderr.write(`${error.message}\n`));
  return work(db).finally(() => db.close());
}

async function withMigrated<Result>(url: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  return withOpened(url, async (db) => {
    await db.migrate();
    return work(db);
  });
}
