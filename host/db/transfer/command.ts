import { existsSync } from 'node:fs';
import { type Database, openEmbedded, openServer } from '#host/db/client';
import { databaseFolderOf, readDatabasePlace } from '#host/env';
import { restoreBackup, writeBackup } from './backup-file';
import { moveDatabase, TransferError } from './filling';
import type { Digest } from './tables';

// `npm run db:move`, `db:backup -- FILE` and `db:restore -- FILE`; the README describes them.

if (existsSync('.env')) process.loadEnvFile('.env');
const place = readDatabasePlace();
const [command, file] = process.argv.slice(2);
const opened: Database[] = [];

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
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof TransferError ? message : ((error as Error).stack ?? message)}\n`);
} finally {
  for (const db of opened) await db.close();
}

async function run(): Promise<Map<string, Digest>> {
  if (command === 'move') {
    const from = await openFolder();
    return moveDatabase(from, await openUrl('db:move needs DATABASE_URL, the server to move to'));
  }
  if (!file)
    throw new TransferError(`db:${command} needs the path of a file: npm run db:${command} -- backup.gz`);
  if (command === 'backup')
    return writeBackup(place.DATABASE_URL ? await openUrl() : await openFolder(), file);
  if (command !== 'restore') throw new TransferError(`unknown command: ${command}`);
  return restoreBackup(place.DATABASE_URL ? await openUrl() : await openNewFolder(), file);
}

async function openUrl(missing = ''): Promise<Database> {
  const url = place.DATABASE_DIRECT_URL ?? place.DATABASE_URL;
  if (!url) throw new TransferError(missing);
  const db = openServer(url, (error) => process.stderr.write(`${error.message}\n`));
  opened.push(db);
  if (command !== 'backup') await db.migrate();
  return db;
}

/** The host that uses the folder must be stopped, because the engine allows one process. */
async function openFolder(): Promise<Database> {
  const folder = databaseFolderOf(place);
  if (!existsSync(folder)) throw new TransferError(`there is no database in ${folder}`);
  const db = await openEmbedded(folder);
  opened.push(db);
  return db;
}

async function openNewFolder(): Promise<Database> {
  const db = await openEmbedded(databaseFolderOf(place));
  opened.push(db);
  await db.migrate();
  return db;
}
