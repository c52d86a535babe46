import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { orExit } from '#runtime/startup-error';
import { PostgresUnavailable } from '../runtime/postgres/postgres.mjs';
import { withDatabaseUrl } from './command-database';
import { type Database, openServer } from './db/client';
import { hasCode, LOCK_NOT_AVAILABLE } from './db/orm';
import { readDatabasePlace } from './env';

const RETRY_MS = 3_000;

if (existsSync('.env')) process.loadEnvFile('.env');
const place = orExit(readDatabasePlace);
try {
  await withDatabaseUrl(place, (url) => migrate((place.DATABASE_URL && place.DATABASE_DIRECT_URL) ?? url));
} catch (error) {
  if (!(error instanceof PostgresUnavailable)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function migrate(url: string): Promise<void> {
  const db = openServer(url, (error) => {
    throw error;
  });
  while (!(await isMigrated(db))) await delay(RETRY_MS);
  await db.close();
}

/** False if another program, such as a backup, locks a table for too long. */
async function isMigrated(db: Database): Promise<boolean> {
  try {
    await db.migrate();
    return true;
  } catch (error) {
    if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
    process.stderr.write('A table is in use, for example by a backup: retrying until it is free.\n');
    return false;
  }
}
