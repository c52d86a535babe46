import { and, asc, eq, isNull, ne } from 'drizzle-orm';
import type { Identity as PresentedIdentity } from '#contract/sign-in';
import { accounts, identities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';

/** Identity of an account at an OpenID provider. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
}

const accountColumns = {
  id: accounts.id,
  email: accounts.email,
  roles: accounts.roles,
  locale: accounts.locale,
  passwordHash: accounts.passwordHash,
};

export async function findIdentityAccount(orm: Orm, { issuer, subject }: Omit<Identity, 'email'>) {
  const [found] = await orm
    .select(accountColumns)
    .from(identities)
    .innerJoin(accounts, eq(accounts.id, identities.accountId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject), isNull(accounts.deletedAt)));
  return found ?? null;
}

/** False if a concurrent request linked it first. */
export async function linkIdentity(
  orm: Orm,
  accountId: string,
  { issuer, subject, email }: Identity,
  now: Date,
): Promise<boolean> {
  const inserted = await orm
    .insert(identities)
    .values({ issuer, subject, email, accountId, createdAt: now })
    .onConflictDoNothing()
    .returning({ subject: identities.subject });
  return inserted.length > 0;
}

export async function listIdentities(orm: Orm, accountId: string) {
  return orm
    .select()
    .from(identities)
    .where(eq(identities.accountId, accountId))
    .orderBy(asc(identities.createdAt), asc(identities.id));
}

export function presentIdentity({ id, email, createdAt }: typeof identities.$inferSelect): PresentedIdentity {
  return { id, email, createdAt: createdAt.toISOString() };
}

export async function findIdentity(orm: Orm, accountId: string, id: string) {
  const [found] = await orm
    .select()
    .from(identities)
    .where(and(eq(identities.accountId, accountId), eq(identities.id, id)));
  return found ?? null;
}

/** Whether the account is linked to an identity other than this one. */
export async function hasOtherIdentity(orm: Orm, accountId: string, id: string): Promise<boolean> {
  const others = await orm
    .select({ id: identities.id })
    .from(identities)
    .where(and(eq(identities.accountId, accountId), ne(identities.id, id)))
    .limit(1);
  return others.length > 0;
}

/** False if it is already gone. */
export async function unlinkIdentity(orm: Orm, accountId: string, id: string): Promise<boolean> {
  const deleted = await orm
    .delete(identities)
    .where(and(eq(identities.accountId, accountId), eq(identities.id, id)))
    .returning({ id: identities.id });
  return deleted.length > 0;
}
