import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Profile } from '#contract/accounts';
import type { Locale } from '#contract/locales';
import { accounts, identities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { subscriptions } from '#host/db/subscriptions.tables';
import { ApiError } from '#host/http/errors';
import { listPasskeys } from './passkeys';

export type AccountRow = typeof accounts.$inferSelect;

interface NewAccount {
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

/** Grants creating, editing and statistics until the given time. */
export async function grantAccess(
  orm: Orm,
  accountId: string,
  grant: { plan: string; status: 'active' | 'trialing' | 'expired' | 'canceled'; accessUntil: Date },
): Promise<void> {
  await orm
    .insert(subscriptions)
    .values({ accountId, ...grant })
    .onConflictDoUpdate({ target: subscriptions.accountId, set: grant });
}

export async function findAccount(orm: Orm, accountId: string): Promise<AccountRow | null> {
  const [row] = await orm
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)));
  return row ?? null;
}

/** Throws `unauthenticated` if it was erased in the meantime. */
export async function getAccount(orm: Orm, accountId: string): Promise<AccountRow> {
  const account = await findAccount(orm, accountId);
  if (!account) throw new ApiError('unauthenticated');
  return account;
}

/**
 * The current account, locked until the transaction ends; null if it was erased. Erasing it, changing its password and
 * using its links lock it too, always before any other of its rows, to avoid deadlocks.
 */
export async function lockAccount(orm: Orm, accountId: string): Promise<AccountRow | null> {
  const [row] = await orm
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)))
    .for('no key update');
  return row ?? null;
}

/** Sets the time zone of an account that has none. */
export async function guessTimeZone(orm: Orm, accountId: string, timeZone: string | null): Promise<void> {
  await orm
    .update(accounts)
    .set({ timeZone })
    .where(and(eq(accounts.id, accountId), isNull(accounts.timeZone), isNull(accounts.deletedAt)));
}

/** Ignores letter case. */
export async function findAccountByEmail(orm: Orm, email: string): Promise<AccountRow | null> {
  const [row] = await orm
    .select()
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.email})`, email.toLowerCase()), isNull(accounts.deletedAt)));
  return row ?? null;
}

export async function findProfile(orm: Orm, accountId: string, now: Date): Promise<Profile | null> {
  const [row] = await orm
    .select({
      firstName: accounts.firstName,
      lastName: accounts.lastName,
      email: accounts.email,
      pendingEmail: accounts.pendingEmail,
      publicName: accounts.publicName,
      timeZone: accounts.timeZone,
      plan: subscriptions.plan,
      status: subscriptions.status,
      accessUntil: subscriptions.accessUntil,
      cancelAtPeriodEnd: subscriptions.cancelAtPeriodEnd,
    })
    .from(accounts)
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)));
  if (!row) return null;
  const { plan, status, accessUntil, cancelAtPeriodEnd, ...names } = row;
  const running = accessUntil !== null && accessUntil > now;
  const ending = running && cancelAtPeriodEnd === true;
  return {
    ...names,
    subscription:
      plan && status && accessUntil
        ? { plan, status, accessUntil: accessUntil.toISOString(), running, ending }
        : null,
  };
}

type Changes = Partial<
  Pick<
    AccountRow,
    'firstName' | 'lastName' | 'publicName' | 'passwordHash' | 'pendingEmail' | 'email' | 'timeZone'
  >
> & {
  locale?: Locale;
};

export async function changeAccount(orm: Orm, accountId: string, changes: Changes): Promise<void> {
  await orm
    .update(accounts)
    .set(changes)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)));
}

/** Whether the account can be signed in to: by a password, through an OpenID provider or with a passkey. */
export async function hasWayIn(
  orm: Orm,
  { id, passwordHash }: Pick<AccountRow, 'id' | 'passwordHash'>,
): Promise<boolean> {
  return passwordHash !== null || (await hasIdentity(orm, id)) || (await listPasskeys(orm, id)).length > 0;
}

async function hasIdentity(orm: Orm, accountId: string): Promise<boolean> {
  const found = await orm
    .select({ subject: identities.subject })
    .from(identities)
    .where(eq(identities.accountId, accountId))
    .limit(1);
  return found.length > 0;
}
