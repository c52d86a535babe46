import { and, eq, isNull, sql } from 'drizzle-orm';
import { accounts, identities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';

interface Identity {
  issuer: string;
  subject: string;
}

const account = {
  id: accounts.id,
  email: accounts.email,
  roles: accounts.roles,
  locale: accounts.locale,
  passwordHash: accounts.passwordHash,
};

export async function findIdentityAccount(orm: Orm, { issuer, subject }: Identity) {
  const [found] = await orm
    .select(account)
    .from(identities)
    .innerJoin(accounts, eq(accounts.id, identities.accountId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject), isNull(accounts.deletedAt)));
  return found ?? null;
}

/**
 * Ties an identity to the account with its address; null when there is none. `isNew` is false when a racing request
 * did it first.
 */
export async function linkIdentity(orm: Orm, identity: Identity & { email: string }, now: Date) {
  const [found] = await orm
    .select(account)
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.email})`, identity.email.toLowerCase()), isNull(accounts.deletedAt)))
    .for('update');
  if (!found) return null;
  const { issuer, subject } = identity;
  const made = await orm
    .insert(identities)
    .values({ issuer, subject, accountId: found.id, createdAt: now })
    .onConflictDoNothing()
    .returning({ subject: identities.subject });
  return { ...found, isNew: made.length > 0 };
}
