import { recordActivity } from '#host/accounts/activities';
import { dropKeys } from '#host/accounts/api-keys';
import { endMailTokens } from '#host/accounts/mail-tokens';
import { type AccountRow, changeAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { forgetDevices } from './known-devices';
import { forgetPasswordChecks } from './reauthentication';
import { endAllSessions } from './sessions';
import { clearCodeAttempts } from './verify-code';

interface NewPassword {
  passwordHash: string;
  /** The session of the request, if any: its device stays known. */
  sessionId?: string;
  /** Whether all keys and connected programs lose their access too. */
  revokesKeys?: boolean;
}

/**
 * Replaces a password: all sessions and mailed links end, other devices and counts of failed attempts are forgotten,
 * a pending e-mail change is dropped (it may come from someone who knew the old password), and the owner is notified.
 * Call it in a transaction.
 */
export async function setPassword(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  { id, email, locale }: AccountRow,
  { passwordHash, sessionId, revokesKeys }: NewPassword,
  now: Date,
): Promise<void> {
  await changeAccount(orm, id, { passwordHash, pendingEmail: null });
  await endMailTokens(orm, id, now);
  await forgetDevices(orm, id, sessionId);
  await endAllSessions(orm, id, now);
  await forgetPasswordChecks(orm, id);
  await clearCodeAttempts(orm, id);
  if (revokesKeys && (await dropKeys(orm, id)) > 0) await recordActivity(orm, id, 'key_revoked', now);
  await recordActivity(orm, id, 'account_changed_password', now);
  const values = { actionUrl: `${settings.publicUrl}/forgot-password` };
  await queueMail(orm, { to: email, locale, template: 'account-mail.password_changed', values }, now);
}
