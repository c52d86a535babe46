import type { OFF_REASONS } from '#contract/webhook-events';
import { findAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { queueMail } from '#host/mail/outbox';
import { dropWaiting } from './deliveries';
import { storeWebhook, type WebhookRow } from './store';

const MAILS = { gone: 'account-mail.webhook_gone', failed: 'account-mail.webhook_failed' } as const;

/** Switches a webhook off, which must be locked. Its owner is told, unless it was the owner who did it. */
export async function turnOff(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  webhook: WebhookRow,
  reason: (typeof OFF_REASONS)[number],
  now: Date,
): Promise<void> {
  if (webhook.offAt) return;
  await storeWebhook(orm, webhook.id, { offAt: now, offReason: reason, updatedAt: now });
  await dropWaiting(orm, webhook.id);
  const account = reason === 'owner' ? null : await findAccount(orm, webhook.accountId);
  if (!account || reason === 'owner') return;
  const actionUrl = `${settings.publicUrl}/user/settings/webhooks/${webhook.id}`;
  const { email: to, locale } = account;
  const values = { url: webhook.url, actionUrl };
  const dedupeKey = `webhook-off:${webhook.id}:${now.toISOString()}`;
  await queueMail(orm, { to, locale, template: MAILS[reason], values, dedupeKey }, now);
}
