import { and, desc, eq, isNull, lt, not, or, type SQL, sql } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import type { Delivery } from '#contract/webhooks';
import { hasTag } from '#host/codes/code/tags';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import { webhookDeliveries, webhookEvents } from '#host/db/webhooks.tables';
import type { CallerTag } from '#host/http/caller';
import { uuidOf } from '#host/http/idempotency';
import { inSeconds } from '#host/jobs/queue';
import { bodyOf, type EventRow, messageIdOf } from './message';

export type DeliveryRow = typeof webhookDeliveries.$inferSelect;
export interface Message {
  delivery: DeliveryRow;
  event: EventRow;
}

const KEPT_MS = 30 * DAY_MS;

/** What a node is already doing, so that no webhook and no account takes more than its share. */
interface Busy {
  webhooks: readonly string[];
  accounts: readonly string[];
  /** Whether another webhook may be claimed that was slow before. */
  takesSlow: boolean;
}

export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  accountId: string;
  isSlow: boolean;
  isManual: boolean;
  attempts: number;
  failures: number;
}

/**
 * Claims the message that has been due longest. One about a code waits until those before it are over; one that was sent
 * by hand waits for none.
 */
export async function claimDelivery(
  orm: Orm,
  { webhooks, accounts, takesSlow }: Busy,
  { now, seconds }: { now: Date; seconds: number },
): Promise<ClaimedDelivery | null> {
  const [claimed] = await readRows<ClaimedDelivery>(
    orm,
    sql`update webhook_deliveries set attempts = attempts + 1, claimed_until = ${inSeconds(seconds)}
    from webhooks
    where webhooks.id = webhook_deliveries.webhook_id and webhook_deliveries.id = any (array(
      select one.id from webhook_deliveries one join webhooks told on told.id = one.webhook_id
      where one.status = 'waiting' and one.due_at <= ${now.toISOString()}::timestamptz
        and (one.claimed_until is null or one.claimed_until < now())
        and told.id <> all (${sql.param([...webhooks])}::uuid[])
        and told.account_id <> all (${sql.param([...accounts])}::uuid[])
        and (${takesSlow} or not told.is_slow)
        and (one.is_manual or not exists (
          select from webhook_deliveries earlier
          where earlier.webhook_id = one.webhook_id and earlier.code_id = one.code_id
            and earlier.status = 'waiting' and not earlier.is_manual and earlier.place < one.place
        ))
      order by one.due_at, one.place limit 1 for update of one skip locked
    ))
    returning webhook_deliveries.id, webhook_id as "webhookId", account_id as "accountId", is_slow as "isSlow",
      is_manual as "isManual", attempts, failures`,
  );
  return claimed ?? null;
}

/** A claimed message, unless another node has it by now or it is gone. */
function isHeld({ id, attempts }: Pick<DeliveryRow, 'id' | 'attempts'>): SQL | undefined {
  return and(
    eq(webhookDeliveries.id, id),
    eq(webhookDeliveries.attempts, attempts),
    eq(webhookDeliveries.status, 'waiting'),
  );
}

/** Gives a claimed message back as if it had not been claimed. */
export async function releaseDelivery(orm: Orm, claimed: ClaimedDelivery): Promise<void> {
  await orm.update(webhookDeliveries).set({ claimedUntil: null }).where(isHeld(claimed));
}

/** Stores how an attempt went; null if another node has the message by now, or it is gone. */
export async function storeAttempt(
  orm: Orm,
  claimed: ClaimedDelivery,
  values: Partial<DeliveryRow>,
): Promise<DeliveryRow | null> {
  const [stored] = await orm
    .update(webhookDeliveries)
    .set({ ...values, claimedUntil: null })
    .where(isHeld(claimed))
    .returning();
  return stored ?? null;
}

/** Lets no message to a webhook out before a time: none at all, or none about the same code. */
export async function postponeOthers(
  orm: Orm,
  { webhookId, codeId }: { webhookId: string; codeId?: string },
  until: Date,
): Promise<void> {
  await orm
    .update(webhookDeliveries)
    .set({ dueAt: until })
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhookId),
        codeId === undefined ? undefined : eq(webhookDeliveries.codeId, codeId),
        eq(webhookDeliveries.status, 'waiting'),
        not(webhookDeliveries.isManual),
        lt(webhookDeliveries.dueAt, until),
      ),
    );
}

/** Messages about codes that have this tag now, or about none; without a tag all. */
function isWithin(tag: CallerTag | null): SQL | undefined {
  if (!tag) return undefined;
  const isTagged = sql`exists (select from ${codes} where ${codes.id} = ${webhookDeliveries.codeId} and ${hasTag(tag)})`;
  return or(isNull(webhookDeliveries.codeId), isTagged);
}

/** Gives up what waits for a webhook that is switched off, or that is told of codes with one tag only from now on. */
export async function dropWaiting(
  orm: Orm,
  webhookId: string,
  tagFromNow: CallerTag | null = null,
): Promise<void> {
  const within = isWithin(tagFromNow);
  await orm
    .update(webhookDeliveries)
    .set({ status: 'failed' })
    .where(
      and(
        eq(webhookDeliveries.webhookId, webhookId),
        eq(webhookDeliveries.status, 'waiting'),
        not(webhookDeliveries.isManual),
        within && not(within),
      ),
    );
}

/** Sends what is written for an event by hand; `once` names the request. */
export async function insertManual(
  orm: Orm,
  { webhookId, event, now, once }: { webhookId: string; event: EventRow; now: Date; once: string | null },
): Promise<DeliveryRow> {
  const [row] = await orm
    .insert(webhookDeliveries)
    .values({
      ...(once && { id: uuidOf(once) }),
      webhookId,
      eventId: event.id,
      codeId: event.codeId,
      isManual: true,
      createdAt: now,
      dueAt: now,
    })
    .returning();
  if (!row) throw new Error('a row that was inserted was not returned');
  return row;
}

export async function insertEvent(orm: Orm, event: EventRow): Promise<void> {
  await orm.insert(webhookEvents).values(event);
}

function selectMessages(orm: Orm) {
  return orm
    .select({ delivery: webhookDeliveries, event: webhookEvents })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId));
}

/** A message to this webhook with its event; null if there is none that a caller with this tag may see. */
export async function findDelivery(
  orm: Orm,
  webhookId: string,
  deliveryId: string,
  tag: CallerTag | null = null,
): Promise<Message | null> {
  const [found] = await selectMessages(orm).where(
    and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.webhookId, webhookId), isWithin(tag)),
  );
  return found ?? null;
}

/** A page of the log of a webhook, newest first, as far as a caller with this tag may see it. */
export async function listDeliveries(
  orm: Orm,
  webhookId: string,
  tag: CallerTag | null,
  { page, limit }: { page: number; limit: number },
) {
  const isOf = and(eq(webhookDeliveries.webhookId, webhookId), isWithin(tag));
  const rows = await selectMessages(orm)
    .where(isOf)
    .orderBy(desc(webhookDeliveries.place))
    .limit(limit)
    .offset((page - 1) * limit);
  return { rows, total: await orm.$count(webhookDeliveries, isOf) };
}

/** The newest of these messages, or those before a place, and the place of the last if more follow. */
export async function listBefore(
  orm: Orm,
  webhookId: string,
  tag: CallerTag | null,
  { before, limit }: { before: number | undefined; limit: number },
) {
  const isBefore = before === undefined ? undefined : lt(webhookDeliveries.place, before);
  const found = await selectMessages(orm)
    .where(and(eq(webhookDeliveries.webhookId, webhookId), isWithin(tag), isBefore))
    .orderBy(desc(webhookDeliveries.place))
    .limit(limit + 1);
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.delivery.place ?? null) : null };
}

export async function dropOldDeliveries(orm: Orm, now: Date): Promise<void> {
  await orm.delete(webhookEvents).where(lt(webhookEvents.at, new Date(now.getTime() - KEPT_MS)));
}

export function presentDelivery({ delivery, event }: Message, shortUrl: string): Delivery {
  const { id, status, isManual, createdAt, failures, dueAt, triedAt, response, problem, ms, excerpt } =
    delivery;
  return {
    id,
    messageId: messageIdOf(event),
    type: event.type,
    status,
    manual: isManual,
    createdAt: createdAt.toISOString(),
    failures,
    nextAt: status === 'waiting' ? dueAt.toISOString() : null,
    lastAttempt: triedAt && {
      at: triedAt.toISOString(),
      response,
      problem,
      ms: ms ?? 0,
      excerpt: excerpt ?? '',
    },
    body: bodyOf(event, shortUrl),
  };
}
