import type { z } from 'zod';
import type { OwnerProof } from '#contract/second-factor';
import { type AccountRow, lockAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Caller } from '#host/http/caller';
import { ApiError } from '#host/http/errors';
import { lockOwnAccount, requireCallerIsOwner } from '#host/sign-in/reauthentication';

type RequestContext = Parameters<typeof requireCallerIsOwner>[1];

/** As for a key, except that a program has no password: its owner is told, and its key can be revoked. */
export async function requireProof(
  deps: Parameters<typeof requireCallerIsOwner>[0],
  request: RequestContext,
  proof: z.output<typeof OwnerProof>,
): Promise<void> {
  if (!request.caller.key) await requireCallerIsOwner(deps, request, proof);
}

/** Locks the account of a caller, whose session must still be there. */
export async function lockCaller(orm: Orm, caller: Caller, now: Date): Promise<AccountRow> {
  if (!caller.key) return lockOwnAccount(orm, caller, now);
  const account = await lockAccount(orm, caller.accountId);
  if (!account) throw new ApiError('unauthenticated');
  return account;
}
