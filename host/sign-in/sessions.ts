import { and, desc, eq, gt, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Session } from '#contract/sessions';
import { DAY_MS, HOUR_MS } from '#contract/time';
import { accounts, sessions } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { type WalPosition, WRITTEN } from '#host/db/replica';
import { subscriptions } from '#host/db/subscriptions.tables';
import { ApiError } from '#host/http/errors';
import { describeDevice } from './devices';

interface NewSession {
  id: string;
  accountId: string;
  remember: boolean;
  userAgent: string;
  deviceId?: string | null;
  createdAt: Date;
  expiresAt: Date;
}

type SessionRow = typeof sessions.$inferSelect;

const SEEN_INTERVAL_MS = 5 * 60_000;
/** A session unused for this long has ended, however long its token is valid (OWASP ASVS 5.0, 7.3.1). */
const IDLE_MS = 12 * HOUR_MS;
const REMEMBERED_IDLE_MS = 30 * 24 * HOUR_MS;
const ENDED_RETENTION_MS = 30 * DAY_MS;

export async function createSession(orm: Orm, session: NewSession): Promise<void> {
  await orm.insert(sessions).values({ ...session, lastSeenAt: session.createdAt });
  await orm
    .update(accounts)
    .set({ lastLoginAt: session.createdAt, deletionToldAt: null })
    .where(eq(accounts.id, session.accountId));
}

/** The session with its account and paid time; null if it ended or expired, or its account is gone. */
export async function findLiveSession(orm: Orm, sessionId: string, accountId: string, now: Date) {
  const [row] = await orm
    .select({
      email: accounts.email,
      accessUntil: subscriptions.accessUntil,
      lastSeenAt: sessions.lastSeenAt,
      position: sql<WalPosition | null>`${sql.raw(WRITTEN)}`,
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.accountId, accountId),
        isActive(now),
        isNull(accounts.deletedAt),
      ),
    );
  return row ?? null;
}

/** Records that a session was used, at most once in five minutes. */
export async function markSeen(
  orm: Orm,
  sessionId: string,
  lastSeenAt: Date | null,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - SEEN_INTERVAL_MS);
  if (lastSeenAt && lastSeenAt > before) return;
  await orm
    .update(sessions)
    .set({ lastSeenAt: now })
    .where(and(eq(sessions.id, sessionId), or(isNull(sessions.lastSeenAt), lt(sessions.lastSeenAt, before))));
}

/** Throws `unauthenticated` if there is none. */
export async function getSession(orm: Orm, sessionId: string): Promise<SessionRow> {
  const [row] = await orm.select().from(sessions).where(eq(sessions.id, sessionId));
  if (!row) throw new ApiError('unauthenticated');
  return row;
}

const isActiveSessionOf = (accountId: string, now: Date) =>
  and(eq(sessions.accountId, accountId), isActive(now));

/** Neither revoked, expired nor unused for too long; exact to the five minutes of `markSeen`. */
function isActive(now: Date) {
  const before = (ms: number) => sql`${new Date(now.getTime() - ms).toISOString()}::timestamptz`;
  const lastUse = sql`coalesce(${sessions.lastSeenAt}, ${sessions.createdAt})`;
  const isUsed = sql`${lastUse} > case when ${sessions.remember} then ${before(REMEMBERED_IDLE_MS)} else ${before(IDLE_MS)} end`;
  return and(isNull(sessions.revokedAt), gt(sessions.expiresAt, now), isUsed);
}

/** Active sessions, last used first. */
export async function listLiveSessions(orm: Orm, accountId: string, now: Date): Promise<SessionRow[]> {
  return orm
    .select()
    .from(sessions)
    .where(isActiveSessionOf(accountId, now))
    .orderBy(sql`${sessions.lastSeenAt} desc nulls last`, desc(sessions.createdAt), sessions.id)
    .limit(200);
}

/** False if the account has no such active session. */
export async function endSession(
  orm: Orm,
  accountId: string,
  sessionId: string,
  now: Date,
): Promise<boolean> {
  const ended = await orm
    .update(sessions)
    .set({ revokedAt: now })
    .where(and(eq(sessions.id, sessionId), isActiveSessionOf(accountId, now)))
    .returning({ id: sessions.id });
  return ended.length > 0;
}

/** Ends every session of an account, except the given one, if any. */
export async function endAllSessions(orm: Orm, accountId: string, now: Date, except?: string): Promise<void> {
  await orm
    .update(sessions)
    .set({ revokedAt: now })
    .where(
      and(isActiveSessionOf(accountId, now), except === undefined ? undefined : ne(sessions.id, except)),
    );
}

/** Drops sessions that ended more than 30 days ago. */
export async function dropOldSessions(orm: Orm, now: Date): Promise<void> {
  const before = new Date(now.getTime() - ENDED_RETENTION_MS);
  await orm.delete(sessions).where(or(lt(sessions.expiresAt, before), lt(sessions.revokedAt, before)));
}

export function presentSession(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    device: describeDevice(row.userAgent),
    remember: row.remember,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: (row.lastSeenAt ?? row.createdAt).toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    current: row.id === currentId,
  };
}
