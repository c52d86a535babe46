import { rmSync } from 'node:fs';
import { openEmbedded } from './client';
import { EMPTY_DATABASE } from './empty-database';

// Part of the build. Whoever runs the product copies these files, with their permissions.
process.umask(0o077);
rmSync(EMPTY_DATABASE, { recursive: true, force: true });
const db = await openEmbedded(EMPTY_DATABASE);
await db.migrate();
await db.close();
