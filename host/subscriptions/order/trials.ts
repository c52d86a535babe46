import { createHash } from 'node:crypto';
import type { Orm } from '#host/db/client';
import { isOfferUsed, isOfferUsedByMailbox, markOfferUsed, trialDigest } from './store';

interface Person {
  email: string;
  /** Null if there is no account yet. */
  accountId: string | null;
}

/** Whether a person has had a trial: with this address, or with the account under any address. */
export async function hadTrial(orm: Orm, { email, accountId }: Person): Promise<boolean> {
  if (await isOfferUsedByMailbox(orm, 'email', email)) return true;
  return accountId !== null && isOfferUsed(orm, 'account', accountMark(accountId));
}

/** Records that a person has a trial; false if this address had one before. Racing calls wait for each other. */
export async function markTrial(
  orm: Orm,
  { email, accountId }: Person & { accountId: string },
  at: Date,
): Promise<boolean> {
  await markOfferUsed(orm, 'account', accountMark(accountId), at);
  return markOfferUsed(orm, 'email', trialDigest(email), at);
}

/** The new address of an account that had its trial counts as used too, even after the account is erased. */
export async function transferTrial(
  orm: Orm,
  { id, email }: { id: string; email: string },
  newEmail: string,
  now: Date,
): Promise<void> {
  if (await hadTrial(orm, { email, accountId: id }))
    await markTrial(orm, { email: newEmail, accountId: id }, now);
}

function accountMark(accountId: string): string {
  return createHash('sha256').update(`account:${accountId}`).digest('hex');
}
