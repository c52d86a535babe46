import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import { accounts, sessions, subscriptions } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';

export interface NewSession {
  id: string;
  accountId: string;
  remember: boolean;
  userAgent: string;
  createdAt: Date;
  expiresAt: Date;
}

export async function createSession(orm: Orm, session: NewSession): Promise<void> {
  await orm.insert(sessions).values(session);
  await orm
    .update(accounts)
    .set({ lastLoginAt: session.createdAt })
    .where(eq(accounts.id, session.accountId));
}

/** The session with its account and paid time; null when it ended, expired or its account is gone. */
export async function findLiveSession(orm: Orm, sessionId: string, accountId: string, now: Date) {
  const [row] = await orm
    .select({ email: accounts.email, accessUntil: subscriptions.accessUntil })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.accountId, accountId),
        isNull(sessions.revokedAt),
        gt(sessions.expiresAt, now),
        isNull(accounts.deletedAt),
      ),
    );
  return row ?? null;
}

export async function endSession(orm: Orm, sessionId: string, now: Date): Promise<void> {
  await orm.update(sessions).set({ revokedAt: now }).where(eq(sessions.id, sessionId));
}

/** The account to sign in to, by e-mail in any letter case. */
export async function findCredentials(orm: Orm, email: string) {
  const [row] = await orm
    .select({
      id: accounts.id,
      email: accounts.email,
      passwordHash: accounts.passwordHash,
      roles: accounts.roles,
    })
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.email})`, email.toLowerCase()), isNull(accounts.deletedAt)));
  return row ?? null;
}
