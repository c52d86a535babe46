import { and, eq, isNull } from 'drizzle-orm';
import type { Profile } from '#contract/accounts';
import { accounts, subscriptions } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';

export interface NewAccount {
  id: string;
  email: string;
  passwordHash: string;
  firstName: string;
  lastName: string;
  createdAt: Date;
}

export async function createAccount(orm: Orm, account: NewAccount): Promise<void> {
  await orm.insert(accounts).values(account);
}

/** Grants creating, editing and statistics until a moment. */
export async function grantAccess(
  orm: Orm,
  accountId: string,
  grant: { plan: string; status: 'active' | 'trialing' | 'expired'; accessUntil: Date },
): Promise<void> {
  await orm
    .insert(subscriptions)
    .values({ accountId, ...grant })
    .onConflictDoUpdate({ target: subscriptions.accountId, set: grant });
}

export async function findProfile(orm: Orm, accountId: string, now: Date): Promise<Profile | null> {
  const [row] = await orm
    .select({
      firstName: accounts.firstName,
      lastName: accounts.lastName,
      email: accounts.email,
      pendingEmail: accounts.pendingEmail,
      plan: subscriptions.plan,
      status: subscriptions.status,
      accessUntil: subscriptions.accessUntil,
    })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)));
  if (!row) return null;
  const { plan, status, accessUntil, ...names } = row;
  return {
    ...names,
    subscription:
      plan && status && accessUntil
        ? { plan, status, accessUntil: accessUntil.toISOString(), running: accessUntil > now }
        : null,
  };
}
