import { createHash, randomUUID } from 'node:crypto';
import { and, desc, eq, inArray, lt, ne, sql } from 'drizzle-orm';
import type { KnownDeviceRecord } from '#contract/account-records';
import { DAY_MS } from '#contract/time';
import { knownDevices, sessions } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';

/** As long as browsers keep the device token. */
const RETENTION_MS = 365 * DAY_MS;
const MAX_PER_ACCOUNT = 20;

/** The device among a browser's tokens that signed in to this account before; null if there is none. */
export async function findKnownDevice(
  orm: Orm,
  tokens: string[],
  accountId: string | undefined,
): Promise<{ id: string; token: string } | null> {
  if (tokens.length === 0) return null;
  const rows = await orm
    .select({ id: knownDevices.id, accountId: knownDevices.accountId, hash: knownDevices.hash })
    .from(knownDevices)
    .where(inArray(knownDevices.hash, tokens.map(hashOf)));
  const found = rows.find((row) => row.accountId === accountId);
  const token = tokens.find((candidate) => hashOf(candidate) === found?.hash);
  return found && token !== undefined ? { id: found.id, token } : null;
}

/** The known devices of an account, last used first. */
export async function listKnownDevices(orm: Orm, accountId: string): Promise<KnownDeviceRecord[]> {
  const rows = await orm
    .select({ createdAt: knownDevices.createdAt, lastSignInAt: knownDevices.lastSignInAt })
    .from(knownDevices)
    .where(eq(knownDevices.accountId, accountId))
    .orderBy(desc(knownDevices.lastSignInAt), desc(knownDevices.id));
  return rows.map(({ createdAt, lastSignInAt }) => ({
    createdAt: createdAt.toISOString(),
    lastSignInAt: lastSignInAt.toISOString(),
  }));
}

/** Makes the browser that has just signed in a known device of the account, unless it already is one. */
export async function rememberDevice(
  orm: Orm,
  random: (bytes: number) => Uint8Array,
  { accountId, tokens }: { accountId: string; tokens: string[] },
  now: Date,
): Promise<{ id: string; token: string }> {
  const known = await findKnownDevice(orm, tokens, accountId);
  if (known && (await markSignIn(orm, known.id, now))) return known;
  const created = { id: randomUUID(), token: Buffer.from(random(32)).toString('base64url') };
  await orm
    .insert(knownDevices)
    .values({ id: created.id, accountId, hash: hashOf(created.token), createdAt: now, lastSignInAt: now });
  await forgetOldest(orm, accountId, created.id);
  return created;
}

/** False if the device was forgotten in the meantime. */
async function markSignIn(orm: Orm, id: string, now: Date): Promise<boolean> {
  const updated = await orm
    .update(knownDevices)
    .set({ lastSignInAt: now })
    .where(eq(knownDevices.id, id))
    .returning({ id: knownDevices.id });
  return updated.length > 0;
}

/** Never drops the newest, even if the clock of another host is ahead. */
async function forgetOldest(orm: Orm, accountId: string, newest: string): Promise<void> {
  const others = and(eq(knownDevices.accountId, accountId), ne(knownDevices.id, newest));
  const newestIds = orm
    .select({ id: knownDevices.id })
    .from(knownDevices)
    .where(others)
    .orderBy(desc(knownDevices.lastSignInAt), desc(knownDevices.id))
    .limit(MAX_PER_ACCOUNT - 1);
  await orm.delete(knownDevices).where(and(others, sql`${knownDevices.id} not in ${newestIds}`));
}

/** Forgets the devices of an account, except the one of the given session, if any. */
export async function forgetDevices(orm: Orm, accountId: string, exceptOfSession?: string): Promise<void> {
  await orm
    .delete(knownDevices)
    .where(
      and(
        eq(knownDevices.accountId, accountId),
        exceptOfSession === undefined
          ? undefined
          : sql`${knownDevices.id} is distinct from ${deviceOfSession(orm, accountId, exceptOfSession)}`,
      ),
    );
}

/** Forgets the device that a session was opened on. */
export async function forgetDeviceOf(orm: Orm, accountId: string, sessionId: string): Promise<void> {
  await orm
    .delete(knownDevices)
    .where(
      and(
        eq(knownDevices.accountId, accountId),
        eq(knownDevices.id, sql`${deviceOfSession(orm, accountId, sessionId)}`),
      ),
    );
}

function deviceOfSession(orm: Orm, accountId: string, sessionId: string) {
  return orm
    .select({ id: sessions.deviceId })
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.accountId, accountId)));
}

/** Drops devices without a sign-in for a year. */
export async function dropOldDevices(orm: Orm, now: Date): Promise<void> {
  await orm.delete(knownDevices).where(lt(knownDevices.lastSignInAt, new Date(now.getTime() - RETENTION_MS)));
}

/** A plain hash is enough for 256 random bits (OWASP ASVS 5.0, 6.5.2). */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
