import { existsSync } from 'node:fs';
import { openServer } from '#host/db/client';

// No other setting is needed, so a deployment may migrate before it holds any secret.
if (existsSync('.env')) process.loadEnvFile('.env');
const { DATABASE_URL } = process.env;
if (!DATABASE_URL)
  throw new Error('db:migrate needs DATABASE_URL; the embedded database migrates when it opens');
const db = openServer(DATABASE_URL, (error) => {
  throw error;
});
await db.migrate();
await db.close();
