import { and, eq, gte, inArray, isNotNull, isNull, lt, max, ne, or, sql } from 'drizzle-orm';
import type { SecondFactorRecord } from '#contract/account-records';
import type { Orm } from '#host/db/client';
import { recoveryCodes, totpSecrets } from '#host/db/factors.tables';

export type TotpSecret = typeof totpSecrets.$inferSelect;

/** Includes an unconfirmed one. */
export async function findTotpSecret(orm: Orm, accountId: string): Promise<TotpSecret | null> {
  const [row] = await orm.select().from(totpSecrets).where(eq(totpSecrets.accountId, accountId));
  return row ?? null;
}

/** Whether signing in to the account needs a second factor. */
export async function hasSecondFactor(orm: Orm, accountId: string): Promise<boolean> {
  return (await findTotpSecret(orm, accountId))?.confirmedAt != null;
}

/** Stores a secret to be confirmed, replacing an unconfirmed one; false if there is a confirmed one. */
export async function keepTotpSecret(
  orm: Orm,
  secret: Pick<TotpSecret, 'accountId' | 'sealed' | 'sessionId' | 'createdAt'>,
): Promise<boolean> {
  const { accountId: _, ...set } = secret;
  const stored = await orm
    .insert(totpSecrets)
    .values(secret)
    .onConflictDoUpdate({ target: totpSecrets.accountId, set, setWhere: isNull(totpSecrets.confirmedAt) })
    .returning({ accountId: totpSecrets.accountId });
  return stored.length > 0;
}

/** False if a concurrent request confirmed or replaced it. */
export async function confirmTotpSecret(
  orm: Orm,
  { accountId, sealed }: Pick<TotpSecret, 'accountId' | 'sealed'>,
  lastStep: number,
  confirmedAt: Date,
): Promise<boolean> {
  const confirmed = await orm
    .update(totpSecrets)
    .set({ confirmedAt, lastStep })
    .where(
      and(
        eq(totpSecrets.accountId, accountId),
        eq(totpSecrets.sealed, sealed),
        isNull(totpSecrets.confirmedAt),
      ),
    )
    .returning({ accountId: totpSecrets.accountId });
  return confirmed.length > 0;
}

/** When a code is used, and the sign-in that it completes; null if it is used for something else. */
interface UseOfCode {
  usedAt: Date;
  challengeId: string | null;
}

/** Uses up a time step; false if it, or a later one, was used before. */
export async function claimTimeStep(
  orm: Orm,
  accountId: string,
  { step, usedAt, challengeId }: UseOfCode & { step: number },
): Promise<boolean> {
  const claimed = await orm
    .update(totpSecrets)
    .set({ lastStep: step, lastUsedAt: usedAt, lastChallengeId: challengeId })
    .where(
      and(
        eq(totpSecrets.accountId, accountId),
        isNotNull(totpSecrets.confirmedAt),
        or(isNull(totpSecrets.lastStep), lt(totpSecrets.lastStep, step)),
      ),
    )
    .returning({ accountId: totpSecrets.accountId });
  return claimed.length > 0;
}

/** Replaces a secret with the same one, sealed again. */
export async function replaceSealed(
  orm: Orm,
  { accountId, sealed }: TotpSecret,
  resealed: string,
): Promise<void> {
  await orm
    .update(totpSecrets)
    .set({ sealed: resealed })
    .where(and(eq(totpSecrets.accountId, accountId), eq(totpSecrets.sealed, sealed)));
}

export async function listTotpSecrets(orm: Orm, after: string | null, limit: number): Promise<TotpSecret[]> {
  return orm
    .select()
    .from(totpSecrets)
    .where(after === null ? undefined : sql`${totpSecrets.accountId} > ${after}`)
    .orderBy(totpSecrets.accountId)
    .limit(limit);
}

/**
 * Replaces all recovery codes of an account. Of the old ones only `proof` stays, the hash of the one used for this, so
 * that a repeated post of the form is recognised. Call it in a transaction.
 */
export async function replaceRecoveryCodes(
  orm: Orm,
  accountId: string,
  { hashes, salt, proof }: { hashes: string[]; salt: string; proof?: string | undefined },
  createdAt: Date,
): Promise<void> {
  await orm
    .delete(recoveryCodes)
    .where(
      and(
        eq(recoveryCodes.accountId, accountId),
        proof === undefined ? undefined : ne(recoveryCodes.hash, proof),
      ),
    );
  await orm.insert(recoveryCodes).values(hashes.map((hash) => ({ accountId, hash, salt, createdAt })));
}

/** When the current set of recovery codes was created; null if there is none. */
export async function findRenewalTime(orm: Orm, accountId: string): Promise<Date | null> {
  const [row] = await orm
    .select({ createdAt: max(recoveryCodes.createdAt) })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.accountId, accountId));
  return row?.createdAt ?? null;
}

/** Salts of the sets with codes that are unused, or were used since then. */
export async function listRecoverySalts(orm: Orm, accountId: string, since: Date): Promise<string[]> {
  const rows = await orm
    .selectDistinct({ salt: recoveryCodes.salt })
    .from(recoveryCodes)
    .where(
      and(
        eq(recoveryCodes.accountId, accountId),
        or(isNull(recoveryCodes.usedAt), gte(recoveryCodes.usedAt, since)),
      ),
    );
  return rows.map(({ salt }) => salt);
}

/**
 * Uses up the code with one of these hashes, and returns its hash; null for a wrong or used code. Of two concurrent
 * requests one gets it.
 */
export async function spendRecoveryCode(
  orm: Orm,
  accountId: string,
  hashes: string[],
  { usedAt, challengeId }: UseOfCode,
): Promise<string | null> {
  const [used] = await orm
    .update(recoveryCodes)
    .set({ usedAt, challengeId })
    .where(
      and(
        eq(recoveryCodes.accountId, accountId),
        inArray(recoveryCodes.hash, hashes),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .returning({ hash: recoveryCodes.hash });
  return used?.hash ?? null;
}

/** Whether a code with one of these hashes has completed this sign-in since then. */
export async function hasCompleted(
  orm: Orm,
  accountId: string,
  hashes: string[],
  { challengeId, since }: { challengeId: string; since: Date },
): Promise<boolean> {
  const found = await orm
    .select({ hash: recoveryCodes.hash })
    .from(recoveryCodes)
    .where(
      and(
        eq(recoveryCodes.accountId, accountId),
        inArray(recoveryCodes.hash, hashes),
        eq(recoveryCodes.challengeId, challengeId),
        gte(recoveryCodes.usedAt, since),
      ),
    );
  return found.length > 0;
}

/** The code with one of these hashes that was used since then to replace its set; null if there is none. */
export async function findRenewalProof(
  orm: Orm,
  accountId: string,
  hashes: string[],
  since: Date,
): Promise<string | null> {
  const renewedAt = await findRenewalTime(orm, accountId);
  if (!renewedAt) return null;
  const [proof] = await orm
    .select({ hash: recoveryCodes.hash })
    .from(recoveryCodes)
    .where(
      and(
        eq(recoveryCodes.accountId, accountId),
        inArray(recoveryCodes.hash, hashes),
        gte(recoveryCodes.usedAt, since),
        lt(recoveryCodes.createdAt, renewedAt),
      ),
    );
  return proof?.hash ?? null;
}

export async function countRecoveryCodes(orm: Orm, accountId: string): Promise<number> {
  const isLeft = and(eq(recoveryCodes.accountId, accountId), isNull(recoveryCodes.usedAt));
  return orm.$count(recoveryCodes, isLeft);
}

/** When each recovery code was created and used. */
async function listRecoveryCodes(orm: Orm, accountId: string) {
  return orm
    .select({ createdAt: recoveryCodes.createdAt, usedAt: recoveryCodes.usedAt })
    .from(recoveryCodes)
    .where(eq(recoveryCodes.accountId, accountId))
    .orderBy(recoveryCodes.usedAt);
}

/** Deletes the second factor with all its codes; false if there was none. */
export async function dropSecondFactor(orm: Orm, accountId: string): Promise<boolean> {
  await orm.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId));
  const dropped = await orm
    .delete(totpSecrets)
    .where(eq(totpSecrets.accountId, accountId))
    .returning({ confirmedAt: totpSecrets.confirmedAt });
  return dropped.some(({ confirmedAt }) => confirmedAt !== null);
}

/** What is stored about the second factor of an account; null if none was ever set up. */
export async function exportSecondFactor(orm: Orm, accountId: string): Promise<SecondFactorRecord | null> {
  const secret = await findTotpSecret(orm, accountId);
  if (!secret) return null;
  const codes = await listRecoveryCodes(orm, accountId);
  return {
    createdAt: secret.createdAt.toISOString(),
    confirmedAt: secret.confirmedAt?.toISOString() ?? null,
    recoveryCodes: codes.map(({ createdAt, usedAt }) => ({
      createdAt: createdAt.toISOString(),
      usedAt: usedAt?.toISOString() ?? null,
    })),
  };
}
