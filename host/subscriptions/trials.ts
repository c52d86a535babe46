import { createHash } from 'node:crypto';
import type { Orm } from '#host/db/client';
import { markUsed, trialDigest, wasMailboxUsed, wasUsed } from './orders.store';

interface Person {
  email: string;
  /** Null where there is no account yet. */
  accountId: string | null;
}

/** Whether somebody had a trial: with this address, or with the account, whatever its address was then. */
export async function hadTrial(orm: Orm, { email, accountId }: Person): Promise<boolean> {
  if (await wasMailboxUsed(orm, 'email', email)) return true;
  return accountId !== null && wasUsed(orm, 'account', accountMark(accountId));
}

/** Notes that somebody has a trial; false when somebody with this address had one. Racing calls wait for each other. */
export async function markTrial(
  orm: Orm,
  { email, accountId }: Person & { accountId: string },
  at: Date,
): Promise<boolean> {
  await markUsed(orm, 'account', accountMark(accountId), at);
  return markUsed(orm, 'email', trialDigest(email), at);
}

/** A new address of an account that had its trial has had it, too, also when the account is gone one day. */
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
