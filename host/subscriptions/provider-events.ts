import { eq, lt } from 'drizzle-orm';
import { DEDUPE_RETENTION_MS } from '#host/db/dedupe-retention';
import { paymentEvents } from '#host/db/payments.tables';
import type { Deps } from '#host/http/deps';
import { findMethodOfCustomer, putMethod } from '#host/payments/payments.store';
import type { ProviderEvent } from '#host/payments/provider';
import { syncCharge } from './charges';
import { completeOrder } from './completion';
import { enqueueCharge, enqueueJob, type Job } from './jobs';
import { findOrderBySetup } from './orders.store';
import { reportDispute, syncRefund } from './provider-refunds';
import { lockSubscription } from './subscriptions.store';

/** Keeps an event and enqueues its work; answers the key of that job, null for an event that came before. */
export async function keepEvent(
  { db, payments }: Pick<Deps, 'db' | 'payments'>,
  event: ProviderEvent,
  now: Date,
): Promise<string | null> {
  const id = `${payments.name}:${event.id}`;
  const dedupeKey = `event:${id}`;
  return db.orm.transaction(async (transaction) => {
    const kept = await transaction
      .insert(paymentEvents)
      .values({ ...event, id, receivedAt: now })
      .onConflictDoNothing()
      .returning({ id: paymentEvents.id });
    if (kept.length === 0) return null;
    await enqueueJob(transaction, { kind: 'event', subject: id, dedupeKey, dueAt: now });
    return dedupeKey;
  });
}

/**
 * Reads the object that an event names and takes over what it says now. Answers the key of a charge that is to be made
 * at once, if any.
 */
export async function runEvent(deps: Deps, job: Job, now: Date): Promise<string | null> {
  const { orm } = deps.db;
  const [event] = await orm.select().from(paymentEvents).where(eq(paymentEvents.id, job.subject));
  if (!event) return null;
  const { object, objectId } = event;
  if (object === 'customer') return syncCard(deps, objectId, now);
  if (object === 'setup') {
    const order = await findOrderBySetup(orm, objectId);
    return order && completeOrder(deps, order.id, now);
  }
  if (object === 'dispute') await reportDispute(deps, objectId, event.type);
  else if (object === 'charge') await syncCharge(deps, objectId, now);
  else await syncRefund(deps, objectId, now);
  return null;
}

/** Another card: a charge that is overdue is tried with it at once. */
async function syncCard(deps: Deps, customerId: string, now: Date): Promise<string | null> {
  const { orm } = deps.db;
  const method = await findMethodOfCustomer(orm, customerId);
  const card = method && (await deps.payments.findCard(customerId));
  if (!card || card.methodId === method.methodId) return null;
  return orm.transaction(async (transaction) => {
    const subscription = await lockSubscription(transaction, method.accountId);
    await putMethod(transaction, method.accountId, { provider: deps.payments.name, customerId, card }, now);
    if (subscription?.status !== 'due_date') return null;
    return enqueueCharge(transaction, subscription, { card: card.methodId }, now);
  });
}

/** Drops events that came more than 13 months ago. */
export async function dropOldEvents({ db }: Pick<Deps, 'db'>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DEDUPE_RETENTION_MS);
  await db.orm.delete(paymentEvents).where(lt(paymentEvents.receivedAt, before));
}
