import { and, desc, eq, gt, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { PgSelect } from 'drizzle-orm/pg-core';
import { type ApiKey, isVerifiedClient } from '#contract/api-keys';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { apiKeys, oauthRecords } from '#host/db/keys.tables';
import { type WalPosition, WRITTEN } from '#host/db/replica';
import { subscriptions } from '#host/db/subscriptions.tables';

export type KeyRow = typeof apiKeys.$inferSelect;
export type Resource = NonNullable<KeyRow['resource']>;

const USED_INTERVAL_MS = 60_000;

/** What identifies a caller, whichever way the key was found. */
const FOUND = {
  id: apiKeys.id,
  accountId: apiKeys.accountId,
  permission: apiKeys.permission,
  tag: apiKeys.tag,
  origins: apiKeys.origins,
  lastUsedAt: apiKeys.lastUsedAt,
  email: accounts.email,
  accessUntil: subscriptions.accessUntil,
  position: sql<WalPosition | null>`${sql.raw(WRITTEN)}`,
};

/** The key with this hash, its account and paid time; null if it has ended, or its account is gone. */
export async function findLiveKey(orm: Orm, hash: string, now: Date) {
  const isPresent = and(eq(apiKeys.hash, hash), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
  const isEarlier = and(eq(apiKeys.earlierHash, hash), gt(apiKeys.earlierExpiresAt, now));
  const [row] = await withAccount(orm.select(FOUND).from(apiKeys).$dynamic(), or(isPresent, isEarlier));
  return row ?? null;
}

/** The same for the grant of an access token for `resource`; the scope of the token may allow less than the grant. */
export async function findLiveGrant(orm: Orm, hash: string, resource: Resource, now: Date) {
  const mayChange = sql<boolean>`'change' = any(string_to_array(${oauthRecords.payload}->>'scope', ' '))`;
  const isToken = and(
    eq(oauthRecords.kind, 'AccessToken'),
    eq(oauthRecords.hash, hash),
    gt(oauthRecords.expiresAt, now),
  );
  const query = orm
    .select({ ...FOUND, mayChange })
    .from(apiKeys)
    .innerJoin(oauthRecords, and(eq(oauthRecords.keyId, apiKeys.id), isToken))
    .$dynamic();
  const [row] = await withAccount(query, and(eq(apiKeys.resource, resource), gt(apiKeys.expiresAt, now)));
  return row ? { ...row, permission: row.mayChange ? row.permission : ('read' as const) } : null;
}

function withAccount<Query extends PgSelect>(query: Query, condition: SQL | undefined) {
  return query
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .leftJoin(subscriptions, eq(subscriptions.accountId, accounts.id))
    .where(and(condition, isNull(accounts.deletedAt)));
}

/** Records that a key was used, at most once a minute. */
export async function markKeyUsed(
  orm: Orm,
  { id, lastUsedAt }: Pick<KeyRow, 'id' | 'lastUsedAt'>,
  now: Date,
): Promise<void> {
  const before = new Date(now.getTime() - USED_INTERVAL_MS);
  if (lastUsedAt && lastUsedAt > before) return;
  await orm
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, before))));
}

/** Keys and grants, newest first, ended ones included. */
export async function listKeys(orm: Orm, accountId: string): Promise<KeyRow[]> {
  return orm
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
}

export async function findKey(orm: Orm, accountId: string, id: string): Promise<KeyRow | null> {
  const [row] = await orm
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, id)));
  return row ?? null;
}

export async function insertKey(orm: Orm, row: KeyRow): Promise<void> {
  await orm.insert(apiKeys).values(row);
}

export async function changeKey(
  orm: Orm,
  { id, ...values }: Partial<KeyRow> & { id: string },
): Promise<void> {
  await orm.update(apiKeys).set(values).where(eq(apiKeys.id, id));
}

/** Null if it is already gone. */
export async function dropKey(orm: Orm, accountId: string, id: string): Promise<{ isGrant: boolean } | null> {
  const [dropped] = await orm
    .delete(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, id)))
    .returning({ clientId: apiKeys.clientId });
  return dropped ? { isGrant: dropped.clientId !== null } : null;
}

/** How many there were. */
export async function dropKeys(orm: Orm, accountId: string): Promise<number> {
  const deleted = await orm
    .delete(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .returning({ id: apiKeys.id });
  return deleted.length;
}

export function presentKey(row: KeyRow, now: Date): ApiKey {
  const { id, name, lastFour, permission, tag, origins, createdAt, expiresAt, lastUsedAt } = row;
  const { earlierLastFour, earlierExpiresAt, clientId, clientHost, resource } = row;
  const hasEarlier = earlierLastFour !== null && earlierExpiresAt !== null && earlierExpiresAt > now;
  return {
    id,
    name,
    lastFour,
    permission,
    tag,
    origins,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    earlier: hasEarlier ? { lastFour: earlierLastFour, expiresAt: earlierExpiresAt.toISOString() } : null,
    client:
      clientId !== null && resource !== null
        ? { host: clientHost, isVerified: isVerifiedClient(clientId), resource }
        : null,
  };
}
