import type { SecondFactorRecord } from '#contract/account-records';
import type { Orm } from '#host/db/client';
import { findTotpSecret, listRecoveryCodes } from './second-factor.store';

/** What is kept about the second factor of an account; null where it never began to set one up. */
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
