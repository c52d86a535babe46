import { randomUUID } from 'node:crypto';
import { and, arrayOverlaps, eq, isNull } from 'drizzle-orm';
import { foldLabel } from '#contract/labels';
import type { WebhookEvent } from '#contract/webhook-events';
import { readBlocks } from '#host/codes/blocks/blocking';
import type { Orm } from '#host/db/client';
import { webhookDeliveries, webhookEvents, webhooks } from '#host/db/webhooks.tables';
import { describeCode } from './present';
import { readAnyCodes } from './store';

/** Something that happened to a code. */
export interface NewEvent {
  type: WebhookEvent;
  codeId: string;
  at: Date;
  /** What is told besides the code. */
  details?: Record<string, unknown>;
}

/** Far below the number of parameters that a statement may have. */
const BATCH = 1_000;

/**
 * Writes messages to the webhooks that are told of these events, with the codes as they are now. Call it in the
 * transaction of what it tells of, so that both happen or neither.
 */
export async function recordEvents(orm: Orm, accountId: string, events: readonly NewEvent[]): Promise<void> {
  const types = [...new Set(events.map(({ type }) => type))];
  if (types.length === 0) return;
  const told = await orm
    .select({ id: webhooks.id, events: webhooks.events, tag: webhooks.tag })
    .from(webhooks)
    .where(
      and(eq(webhooks.accountId, accountId), isNull(webhooks.offAt), arrayOverlaps(webhooks.events, types)),
    )
    .orderBy(webhooks.createdAt, webhooks.id)
    // Whoever deletes one at the same moment waits.
    .for('key share');
  if (told.length === 0) return;
  for (let from = 0; from < events.length; from += BATCH)
    await recordFor(orm, accountId, told, events.slice(from, from + BATCH));
}

type Told = Pick<typeof webhooks.$inferSelect, 'id' | 'events' | 'tag'>;

async function recordFor(orm: Orm, accountId: string, told: Told[], events: readonly NewEvent[]) {
  const ids = events.map(({ codeId }) => codeId);
  const rows = new Map((await readAnyCodes(orm, accountId, ids)).map((row) => [row.id, row]));
  const blocks = await readBlocks(orm, [...rows.values()]);
  const messages = events.flatMap(({ type, codeId, at, details }) => {
    const row = rows.get(codeId);
    const wanting = row ? told.filter((webhook) => wants(webhook, type, row.tags)) : [];
    if (!row || wanting.length === 0) return [];
    const data = { code: describeCode(row, blocks, { now: at }), ...details };
    return [{ id: randomUUID(), accountId, type, at, codeId, slug: row.slug, data, wanting }];
  });
  if (messages.length === 0) return;
  await orm.insert(webhookEvents).values(messages.map(({ wanting: _, ...event }) => event));
  await orm
    .insert(webhookDeliveries)
    .values(
      messages.flatMap(({ id: eventId, codeId, at, wanting }) =>
        wanting.map(({ id: webhookId }) => ({ webhookId, eventId, codeId, createdAt: at, dueAt: at })),
      ),
    );
}

function wants({ events, tag }: Told, type: WebhookEvent, tags: readonly string[]): boolean {
  return events.includes(type) && (tag === null || tags.some((label) => foldLabel(label) === foldLabel(tag)));
}
