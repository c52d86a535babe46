import type { z } from 'zod';
import type { OwnerProof } from '#contract/second-factor';
import { recordActivity } from '#host/accounts/activities';
import { type AccountRow, lockAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { queueMail } from '#host/mail/outbox';
import { lockOwnAccount, requireCallerIsOwner } from '#host/sign-in/reauthentication';
import type { WebhookRow } from './store';

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

/** Notifies the owner by mail and in the recent activities of the dashboard. */
export async function notifyOwner(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  { id: accountId, email: to, locale }: AccountRow,
  change: 'webhook_made' | 'webhook_moved' | 'webhook_rotated',
  { id, url }: Pick<WebhookRow, 'id' | 'url'>,
  now: Date,
): Promise<void> {
  await recordActivity(orm, accountId, change, now);
  const values = { url, actionUrl: `${settings.publicUrl}/user/settings/webhooks/${id}` };
  await queueMail(orm, { to, locale, template: `account-mail.${change}`, values }, now);
}
