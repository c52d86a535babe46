import { and, desc, eq } from 'drizzle-orm';
import { foldLabel } from '#contract/labels';
import type { Webhook } from '#contract/webhooks';
import type { Orm } from '#host/db/client';
import { jobs } from '#host/db/jobs.tables';
import { webhookEvents, webhookPositions, webhooks, webhookTotals } from '#host/db/webhooks.tables';
import type { CallerTag } from '#host/http/caller';
import { versionTag } from '#host/http/versions';

export type WebhookRow = typeof webhooks.$inferSelect;

/** Of an account, newest first; for a caller who is limited to a tag those with the same limit. */
export async function listWebhooks(
  orm: Orm,
  accountId: string,
  within: CallerTag | null = null,
): Promise<WebhookRow[]> {
  const rows = await orm
    .select()
    .from(webhooks)
    .where(eq(webhooks.accountId, accountId))
    .orderBy(desc(webhooks.createdAt), desc(webhooks.id));
  return within ? rows.filter(({ tag }) => tag !== null && foldLabel(tag) === foldLabel(within.label)) : rows;
}

/** In a transaction that changes it, locked. */
export async function findWebhook(
  orm: Orm,
  accountId: string,
  id: string,
  { isLocked = false } = {},
): Promise<WebhookRow | null> {
  const wanted = orm
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.accountId, accountId), eq(webhooks.id, id)));
  const [row] = await (isLocked ? wanted.for('no key update') : wanted);
  return row ?? null;
}

export async function insertWebhook(orm: Orm, row: WebhookRow): Promise<void> {
  await orm.insert(webhooks).values(row);
}

export async function storeWebhook(orm: Orm, id: string, values: Partial<WebhookRow>): Promise<void> {
  await orm.update(webhooks).set(values).where(eq(webhooks.id, id));
}

/** With its log. */
export async function dropWebhook(orm: Orm, accountId: string, id: string): Promise<void> {
  await orm.delete(webhooks).where(and(eq(webhooks.accountId, accountId), eq(webhooks.id, id)));
}

/**
 * All of an account, with everything that was to be told. In the order in which others lock them: after the codes, where
 * visits were told up to, then the webhooks, then their messages.
 */
export async function eraseWebhooks(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(webhookPositions).where(eq(webhookPositions.accountId, accountId));
  await orm.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.accountId, accountId)).for('update');
  for (const table of [webhookEvents, webhooks, webhookTotals])
    await orm.delete(table).where(eq(table.accountId, accountId));
  await orm.delete(jobs).where(and(eq(jobs.subject, accountId), eq(jobs.kind, 'webhook_visits')));
}

export function presentWebhook(row: WebhookRow): Webhook {
  const { id, url, description, events, tag, offAt, offReason, createdAt, updatedAt } = row;
  return {
    id,
    url,
    description,
    events,
    tag,
    enabled: offAt === null,
    offReason,
    offAt: offAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The `ETag` of a webhook. */
export function versionOf(row: WebhookRow): string {
  return versionTag(presentWebhook(row));
}
