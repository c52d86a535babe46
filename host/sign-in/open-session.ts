import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '#contract/time';
import { getAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { createSession, getSession } from './sessions';
import { signToken } from './tokens';

const SESSION_MS = 12 * HOUR_MS;
const REMEMBERED_SESSION_MS = 30 * 24 * HOUR_MS;

interface SessionOptions {
  remember: boolean;
  userAgent: string;
  /** The known device it is opened on. */
  deviceId?: string | null;
}

/** Opens a session and returns its token: valid for 12 hours, or 30 days if remembered. */
export async function openSession(
  { db, clock, settings }: Pick<Deps, 'db' | 'clock'> & { settings: Pick<Deps['settings'], 'jwtSecrets'> },
  account: { id: string; email: string; roles: string[] },
  { remember, userAgent, deviceId = null }: SessionOptions,
  orm: Orm = db.orm,
): Promise<string> {
  const now = clock.now();
  const id = randomUUID();
  const expiresAt = new Date(now.getTime() + (remember ? REMEMBERED_SESSION_MS : SESSION_MS));
  const session = {
    id,
    accountId: account.id,
    remember,
    userAgent: userAgent.slice(0, 300),
    deviceId,
    createdAt: now,
    expiresAt,
  };
  await createSession(orm, session);
  const { email, roles } = account;
  const content = { accountId: account.id, sessionId: id, email, roles, expiresAt };
  return signToken(content, settings.jwtSecrets, now);
}

/** The session of a caller with a token that names the address which its account has now. */
export async function renewToken(
  { db, clock, settings }: Pick<Deps, 'db' | 'clock' | 'settings'>,
  { accountId, sessionId }: Caller,
): Promise<{ token: string; remember: boolean }> {
  const { email, roles } = await getAccount(db.orm, accountId);
  const { remember, expiresAt } = await getSession(db.orm, sessionId);
  const content = { accountId, sessionId, email, roles, expiresAt };
  return { token: await signToken(content, settings.jwtSecrets, clock.now()), remember };
}
