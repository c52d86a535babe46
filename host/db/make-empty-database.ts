import { rmSync } from 'node:fs';
import { openEmbedded } from './client';
import { EMPTY_DATABASE } from './embedded';

// Part of the build. The host that uses the database copies these files, with their permissions.
process.umask(0o077);
rmSync(EMPTY_DATABASE, { recursive: true, force: true });
const db = await openEmbedded(EMPTY_DATABASE);
await db.migrate();
// The engine only opens `postgres`. The databases that others are copied from are half of the files to copy and sync.
const run = (text: string) => db.query({ name: '', text, values: [] });
for (const unused of ['template0', 'template1']) {
  await run(`update pg_database set datistemplate = false where datname = '${unused}'`);
  await run(`drop database ${unused}`);
}
await db.close();
