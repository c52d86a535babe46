import { randomUUID } from 'node:crypto';
import { eq, lt } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/dedupe-retention';
import { paymentEvents, refunds } from '#host/db/payments.tables';
import type { Deps } from '#host/http/deps';
import {
  findAttemptOfCharge,
  findMethodOfCustomer,
  getPayment,
  putMethod,
} from '#host/payments/payments.store';
import type { ProviderEvent, Refund } from '#host/payments/provider';
import { syncCharge } from './charges';
import { completeOrder } from './completion';
import { enqueueCharge, enqueueJob, type Job } from './jobs';
import { findOrderBySetup } from './orders.store';
import { refundDates, settleRefund } from './refunds';
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

/** After a webhook: takes over what became of a refund, be it ours or one that was made by hand at the provider. */
async function syncRefund(deps: Deps, refundId: string, now: Date): Promise<void> {
  const { orm } = deps.db;
  const [known] = await orm.select().from(refunds).where(eq(refunds.refundId, refundId));
  const answered = await deps.payments.getRefund(refundId);
  // One that failed before it was known here moved no money: there is nothing to book.
  if (!known && answered.state === 'failed') return;
  const id = known?.id ?? (await orm.transaction((transaction) => adopt(transaction, deps, answered, now)));
  if (id) await settleRefund(deps, id, answered, now);
}

/** The row that books a refund which is not known yet; null for payments that are not ours. */
async function adopt(orm: Orm, deps: Deps, answered: Refund, now: Date): Promise<string | null> {
  const attempt = await findAttemptOfCharge(orm, answered.chargeId);
  if (!attempt) return null;
  const payment = await getPayment(orm, attempt.paymentId);
  await lockSubscription(orm, payment.accountId);
  const [before] = await orm.select().from(refunds).where(eq(refunds.paymentId, payment.id));
  if (before?.refundId === answered.id) return before.id;
  const about = { payment: payment.id, refund: answered.id, amountCents: answered.amountCents };
  if (!before) {
    const id = randomUUID();
    const dates = refundDates(deps, null, now);
    const values = { id, paymentId: payment.id, amountCents: answered.amountCents, ...dates };
    await orm
      .insert(refunds)
      .values({ ...values, reason: 'provider', status: 'requested', requestedAt: now });
    deps.log.warn({ audit: 'refund_by_hand', account: payment.accountId, ...about }, 'audit');
    return id;
  }
  // Ours, whose answer is still on its way, or the same money sent back by hand before we came to it.
  const isAwaited = before.refundId === null && before.status !== 'succeeded';
  if (isAwaited && before.amountCents === answered.amountCents) return before.id;
  deps.log.error(about, 'a payment was paid back twice or in parts: book this refund by hand');
  return null;
}

/** A customer had their bank take a payment back, or that ended: for a person to look at, nothing happens by itself. */
async function reportDispute(deps: Deps, chargeId: string, type: string): Promise<void> {
  const attempt = await findAttemptOfCharge(deps.db.orm, chargeId);
  const payment = attempt && (await getPayment(deps.db.orm, attempt.paymentId));
  const about = { account: payment?.accountId, payment: payment?.id, charge: chargeId, type };
  deps.log.error(
    { audit: 'payment_disputed', ...about },
    'a payment is disputed: see to it at the payment provider',
  );
}
