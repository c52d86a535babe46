import { randomUUID } from 'node:crypto';
import { eq, lt } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/columns';
import { paymentEvents, refunds } from '#host/db/payments.tables';
import type { Deps } from '#host/http/deps';
import type { ProviderEvent, Refund } from '#host/http/payment-provider';
import { enqueueJob, type Job } from '#host/jobs/queue';
import { findAttemptOfCharge, getPayment } from '#host/payments/store';
import { lockSubscription } from '#host/subscriptions/contract/store';
import { completeOrder } from '#host/subscriptions/order/completion';
import { findOrderBySetup } from '#host/subscriptions/order/store';
import { syncCard } from './card-sync';
import { syncCharge } from './charges';
import { refundDates, settleRefund } from './refunds';

/** Stores an event and enqueues its job; returns the job's key, or null if the event was received before. */
export async function storeEvent(
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
 * Reads the current state of an event's object from the provider and applies it. Returns the keys of the jobs to be
 * done at once.
 */
export async function runEvent(deps: Deps, job: Job, now: Date): Promise<string[]> {
  const { orm } = deps.db;
  const [event] = await orm.select().from(paymentEvents).where(eq(paymentEvents.id, job.subject));
  if (!event) return [];
  const { object, objectId } = event;
  if (object === 'customer') return syncCard(deps, objectId, now);
  if (object === 'setup') {
    const order = await findOrderBySetup(orm, objectId);
    return order ? completeOrder(deps, order.id, now) : [];
  }
  if (object === 'dispute') await reportDispute(deps, objectId, event.type);
  else if (object === 'charge') await syncCharge(deps, objectId, now);
  else await syncRefund(deps, objectId, now);
  return [];
}

/** Drops events received more than 13 months ago. */
export async function dropOldEvents({ db }: Pick<Deps, 'db'>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DEDUPE_RETENTION_MS);
  await db.orm.delete(paymentEvents).where(lt(paymentEvents.receivedAt, before));
}

/** After a webhook: applies the result of a refund, whether ours or made by hand at the provider. */
async function syncRefund(deps: Deps, refundId: string, now: Date): Promise<void> {
  const { orm } = deps.db;
  const [known] = await orm.select().from(refunds).where(eq(refunds.refundId, refundId));
  const response = await deps.payments.getRefund(refundId);
  // It failed before we knew of it and moved no money: there is nothing to book.
  if (!known && response.state === 'failed') return;
  const id =
    known?.id ?? (await orm.transaction((transaction) => adoptRefund(transaction, deps, response, now)));
  if (id) await settleRefund(deps, id, response, now);
}

/** The row for a refund that is not known yet; null for payments that are not ours. */
async function adoptRefund(orm: Orm, deps: Deps, response: Refund, now: Date): Promise<string | null> {
  const attempt = await findAttemptOfCharge(orm, response.chargeId);
  if (!attempt) return null;
  const payment = await getPayment(orm, attempt.paymentId);
  await lockSubscription(orm, payment.accountId);
  const [existing] = await orm.select().from(refunds).where(eq(refunds.paymentId, payment.id));
  if (existing?.refundId === response.id) return existing.id;
  const logFields = { payment: payment.id, refund: response.id, amountCents: response.amountCents };
  if (!existing) {
    const id = randomUUID();
    const dates = refundDates(deps, null, now);
    const values = { id, paymentId: payment.id, amountCents: response.amountCents, ...dates };
    await orm
      .insert(refunds)
      .values({ ...values, reason: 'provider', status: 'requested', requestedAt: now });
    deps.log.warn({ audit: 'refund_by_hand', account: payment.accountId, ...logFields }, 'audit');
    return id;
  }
  // Our own refund, whose response is not here yet, or the same amount refunded by hand before ours was sent.
  const isAwaited = existing.refundId === null && existing.status !== 'succeeded';
  if (isAwaited && existing.amountCents === response.amountCents) return existing.id;
  deps.log.error(logFields, 'a payment was refunded twice or in parts: book this refund by hand');
  return null;
}

/** A customer disputed a payment with their bank, or the dispute ended: reported for a person to handle. */
async function reportDispute(deps: Deps, chargeId: string, type: string): Promise<void> {
  const attempt = await findAttemptOfCharge(deps.db.orm, chargeId);
  const payment = attempt && (await getPayment(deps.db.orm, attempt.paymentId));
  const logFields = { account: payment?.accountId, payment: payment?.id, charge: chargeId, type };
  deps.log.error(
    { audit: 'payment_disputed', ...logFields },
    'a payment is disputed: respond to it at the payment provider',
  );
}
