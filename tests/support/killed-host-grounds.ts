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
  return {
    env: { DATABASE_URL: url, JWT_SECRET: SECRET },
    open: async () => openServer(url, () => undefined),
    clear: drop,
  };
}
