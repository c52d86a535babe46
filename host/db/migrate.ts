import { existsSync } from 'node:fs';
import { openServer } from '#host/db/client';
import { readDatabasePlace } from '#host/env';

if (existsSync('.env')) process.loadEnvFile('.env');
const { DATABASE_URL, DATABASE_DIRECT_URL } = readDatabasePlace();
const url = DATABASE_DIRECT_URL ?? DATABASE_URL;
if (!url) throw new Error('db:migrate needs DATABASE_URL; the embedded database migrates when it opens');
const db = openServer(url, (error) => {
  throw error;
});
await db.migrate();
await db.close();
