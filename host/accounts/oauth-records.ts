import { createHash } from 'node:crypto';
import { and, eq, gt, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import { apiKeys, oauthRecords } from '#host/db/keys.tables';

/** Of a client that nobody has connected. */
const UNUSED_CLIENT_MS = 7 * DAY_MS;
/** From its consent on; a grant that is not used ends with its last refresh token. */
const GRANT_LIFE_MS = 365 * DAY_MS;

export interface OauthRecord {
  kind: string;
  /** The code or token itself, or the name of a client or a request. */
  id: string;
  keyId: string | null;
  payload: Record<string, unknown>;
  expiresAt: Date;
}

/** How a code, a token or a name is stored. */
export function hashOfRecord(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}

function isRecord(kind: string, id: string) {
  return and(eq(oauthRecords.kind, kind), eq(oauthRecords.hash, hashOfRecord(id)));
}

export async function storeRecord(orm: Orm, { kind, id, ...values }: OauthRecord): Promise<void> {
  await orm
    .insert(oauthRecords)
    .values({ kind, hash: hashOfRecord(id), ...values })
    .onConflictDoUpdate({ target: [oauthRecords.kind, oauthRecords.hash], set: values });
}

/** Null if it has ended. */
export async function findRecord(orm: Orm, kind: string, id: string, now: Date) {
  const { payload, consumedAt } = oauthRecords;
  const [row] = await orm
    .select({ payload, consumedAt })
    .from(oauthRecords)
    .where(and(isRecord(kind, id), gt(oauthRecords.expiresAt, now)));
  return row ?? null;
}

/** False if it was used before, also by a request at the same time. */
export async function consumeRecord(orm: Orm, kind: string, id: string, now: Date): Promise<boolean> {
  const consumed = await orm
    .update(oauthRecords)
    .set({ consumedAt: now })
    .where(and(isRecord(kind, id), isNull(oauthRecords.consumedAt)))
    .returning({ kind: oauthRecords.kind });
  return consumed.length > 0;
}

export async function dropRecord(orm: Orm, kind: string, id: string): Promise<void> {
  await orm.delete(oauthRecords).where(isRecord(kind, id));
}

/** Drops what belongs to a grant. */
export async function dropRecordsOf(orm: Orm, kind: string, keyId: string): Promise<void> {
  await orm.delete(oauthRecords).where(and(eq(oauthRecords.kind, kind), eq(oauthRecords.keyId, keyId)));
}

/** Ends a grant, and with it all that belongs to it. Returns whose it was; null if it had ended. */
export async function dropGrant(orm: Orm, keyId: string): Promise<string | null> {
  const [dropped] = await orm
    .delete(apiKeys)
    .where(and(eq(apiKeys.id, keyId), isNotNull(apiKeys.clientId)))
    .returning({ accountId: apiKeys.accountId });
  return dropped?.accountId ?? null;
}

/** When a client ends that is not used until then. */
export function endOfUnusedClient(now: Date): Date {
  return new Date(now.getTime() + UNUSED_CLIENT_MS);
}

/**
 * Lets a grant last until the end of its newest refresh token, at most a year, and its client as long. Returns that end,
 * or null if the grant has ended meanwhile.
 */
export async function extendGrant(orm: Orm, keyId: string, wanted: Date): Promise<Date | null> {
  const longest = sql`${apiKeys.createdAt} + ${`${GRANT_LIFE_MS} milliseconds`}::interval`;
  const [row] = await orm
    .update(apiKeys)
    .set({ expiresAt: sql`least(${wanted.toISOString()}::timestamptz, ${longest})` })
    .where(and(eq(apiKeys.id, keyId), isNotNull(apiKeys.clientId)))
    .returning({ clientId: apiKeys.clientId, expiresAt: apiKeys.expiresAt });
  if (!row?.clientId || !row.expiresAt) return null;
  const until = new Date(row.expiresAt.getTime() + UNUSED_CLIENT_MS);
  await orm
    .update(oauthRecords)
    .set({ expiresAt: until })
    .where(and(isRecord('Client', row.clientId), lt(oauthRecords.expiresAt, until)));
  return row.expiresAt;
}

/** Drops what has ended: codes, tokens, requests, clients, and grants whose last token has. */
export async function dropOldOauthRecords(orm: Orm, now: Date): Promise<void> {
  await orm.delete(apiKeys).where(and(isNotNull(apiKeys.clientId), lt(apiKeys.expiresAt, now)));
  await orm.delete(oauthRecords).where(lt(oauthRecords.expiresAt, now));
}
