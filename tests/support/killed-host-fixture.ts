import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '#contract/time';
import { createAccount, grantAccess } from '#host/accounts/store';
import { type Database, type Orm, openServer } from '#host/db/client';
import { createSession } from '#host/sign-in/sessions';
import { signToken } from '#host/sign-in/tokens';
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

/** Creates a subscriber, with a session's token for hosts whose JWT_SECRET is `SECRET`. */
export async function makeSubscriber(orm: Orm): Promise<{ accountId: string; token: string }> {
  const [accountId, sessionId, now] = [randomUUID(), randomUUID(), new Date()];
  const [email, expiresAt] = [`${accountId}@test.example`, new Date(now.getTime() + 30 * DAY_MS)];
  const names = { firstName: '', lastName: '' };
  await createAccount(orm, { id: accountId, email, passwordHash: '', createdAt: now, ...names });
  await grantAccess(orm, accountId, { plan: 'monthly', status: 'active', accessUntil: expiresAt });
  const session = { id: sessionId, accountId, remember: true, userAgent: '', createdAt: now, expiresAt };
  await createSession(orm, session);
  const content = { accountId, sessionId, email, roles: ['ROLE_USER'], expiresAt };
  return { accountId, token: await signToken(content, [SECRET], now) };
}
