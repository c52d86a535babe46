import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openServer } from '#host/db/client';
import { createMigratedDatabase } from './fresh-database';

export const SECRET = 'a secret of the killed host that is long enough';

/** A migrated, initially empty database that outlives the host that uses it. */
export interface DurableDatabase {
  /** Settings with which the host uses this database. */
  env: Record<string, string>;
  open(): Promise<Database>;
  clear(): Promise<void>;
}

export async function createDurableDatabase(): Promise<DurableDatabase> {
  const { url, drop } = await createMigratedDatabase();
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
