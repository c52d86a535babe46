import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openEmbedded, openServer } from '#host/db/client';
import { createMigratedDatabase, servers } from './fresh-database';
import { unpackPrepared } from './prepared-database';

export const SECRET = 'a secret of the killed host that is long enough';

/** A migrated, initially empty database that outlives the host that uses it. */
interface DurableDatabase {
  /** Settings with which the host uses this database. */
  env: Record<string, string>;
  open(): Promise<Database>;
  clear(): Promise<void>;
}

/** Database engines for `test.each(durableDatabases)`; PostgreSQL only if TEST_DATABASE_URL is set. */
export const durableDatabases: [name: string, prepare: () => Promise<DurableDatabase>][] = [
  ['pglite', inFolder],
  ...servers.map((server): (typeof durableDatabases)[number] => ['postgres', () => onServer(server)]),
];

async function inFolder(): Promise<DurableDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'killed-host-'));
  await unpackPrepared(join(folder, 'database'));
  return {
    env: { DATA_DIR: folder, JWT_SECRET: SECRET },
    open: () => openEmbedded(join(folder, 'database')),
    clear: async () => rmSync(folder, { recursive: true }),
  };
}

async function onServer(server: string): Promise<DurableDatabase> {
  const { url, drop } = await createMigratedDatabase(server);
  const folder = mkdtempSync(join(tmpdir(), 'killed-host-'));
  return {
    env: { DATABASE_URL: url, DATA_DIR: folder, JWT_SECRET: SECRET },
    open: async () => openServer(url, () => undefined),
    clear: async () => {
      await drop();
      rmSync(folder, { recursive: true });
    },
  };
}
