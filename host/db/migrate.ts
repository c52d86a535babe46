import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openServer } from '#host/db/client';
import { hasCode, LOCK_NOT_AVAILABLE } from '#host/db/orm';
import { readDatabasePlace } from '#host/env';

const RETRY_MS = 3_000;

if (existsSync('.env')) process.loadEnvFile('.env');
const { DATABASE_URL, DATABASE_DIRECT_URL } = readDatabasePlace();
const url = DATABASE_DIRECT_URL ?? DATABASE_URL;
if (!url) throw new Error('db:migrate needs DATABASE_URL; the embedded database migrates when it opens');
const db = openServer(url, (error) => {
  throw error;
});
while (!(await isMigrated())) await delay(RETRY_MS);
await db.close();

/** False if another program, such as a backup, locks a table for too long. */
async function isMigrated(): Promise<boolean> {
  try {
    await db.migrate();
    return true;
  } catch (error) {
    if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
    process.stderr.write('A table is in use, for example by a backup: retrying until it is free.\n');
    return false;
  }
}
