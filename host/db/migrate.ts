import { openServer } from '#host/db/client';
import { readEnv } from '#host/env';

const { DATABASE_URL } = readEnv();
if (!DATABASE_URL)
  throw new Error('db:migrate needs DATABASE_URL; the embedded database migrates when it opens');
const db = openServer(DATABASE_URL, (error) => {
  throw error;
});
await db.migrate();
await db.close();
