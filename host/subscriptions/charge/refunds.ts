import { randomUUID } from 'node:crypto';
import { and, eq, gt, inArray } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { refunds } from '#host/db/payments.tables';
import type { Deps } from '#host/http/deps';
import type { Refund } from '#host/http/payment-provider';
import { issueCreditNote } from '#host/invoices/store';
import { enqueueJob, type Job } from '#host/jobs/queue';
import { changePayment, getChargeId, getPayment, type PaymentRow } from '#host/payments/store';
import { addBusinessDays, addDays } from '#host/subscriptions/calendar';
import { lockSubscription } from '#host/subscriptions/contract/store';

type RefundRow = typeof refunds.$inferSelect;
type RefundDeps = Pick<Deps, 'db' | 'payments' | 'settings' | 'log'>;

const MAX_ATTEMPTS = 5;
/** Days from the declaration of a withdrawal (consumer code L221-24). */
export const REPAYMENT_DAYS = 14;

/**
 * Books the refund of a whole payment, once; `isNew` is false if one was booked before, and if that was of a part, the
 * rest is left to the operator. It is sent to the provider at once; the dates say when it reaches the card: within the
 * business days of the settings, and not later than `latest`.
 */
export async function requestRefund(
  orm: Orm,
  { settings, log }: Pick<Deps, 'settings' | 'log'>,
  payment: PaymentRow,
  { reason, latest = null }: { reason: RefundRow['reason']; latest?: Date | null },
  now: Date,
): Promise<{ isNew: boolean; expectedFrom: Date; expectedUntil: Date }> {
  const { expectedFrom, expectedUntil } = refundDates({ settings }, latest, now);
  const [inserted] = await orm
    .insert(refunds)
    .values({
      id: randomUUID(),
      paymentId: payment.id,
      amountCents: payment.amountCents,
      reason,
      status: 'requested',
      requestedAt: now,
      expectedFrom,
      expectedUntil,
    })
    .onConflictDoNothing({ target: refunds.paymentId })
    .returning();
  if (inserted)
    await enqueueJob(orm, {
      kind: 'refund',
      subject: inserted.id,
      dedupeKey: `refund:${inserted.id}:0`,
      dueAt: now,
    });
  else {
    const [earlier] = await orm.select().from(refunds).where(eq(refunds.paymentId, payment.id));
    const missingCents = payment.amountCents - (earlier?.amountCents ?? 0);
    if (missingCents > 0)
      log.error({ payment: payment.id, missingCents }, 'a part was refunded before: refund the rest by hand');
  }
  return { isNew: inserted !== undefined, expectedFrom, expectedUntil };
}

/** The earliest and latest date at which a refund requested now reaches the card. */
export function refundDates(
  { settings }: Pick<Deps, 'settings'>,
  latest: Date | null,
  now: Date,
): { expectedFrom: Date; expectedUntil: Date } {
  const { refundMinDays, refundMaxDays } = settings.plans;
  const planned = addBusinessDays(now, refundMaxDays);
  const expectedUntil = latest ? earlier(planned, latest) : planned;
  return { expectedFrom: earlier(addBusinessDays(now, refundMinDays), expectedUntil), expectedUntil };
}

/** Refunds of these payments that may still be on their way to the card. */
export async function listExpectedRefunds(orm: Orm, paymentIds: string[], now: Date): Promise<RefundRow[]> {
  return orm
    .select()
    .from(refunds)
    .where(and(inArray(refunds.paymentId, paymentIds), gt(refunds.expectedUntil, now)));
}

function earlier(one: Date, other: Date): Date {
  return new Date(Math.min(one.getTime(), other.getTime()));
}

/** Sends a refund to the provider, or checks on it. The key stays the same until the provider refuses it. */
export async function runRefund(deps: RefundDeps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const refund = await findRefund(orm, job.subject);
  if (!refund || refund.status === 'succeeded') return;
  const { id, refundId, attempts, paymentId, amountCents } = refund;
  const response = refundId
    ? await deps.payments.getRefund(refundId)
    : await deps.payments.refund({
        key: `${id}:${attempts}`,
        chargeId: await getChargeId(orm, paymentId),
        amountCents,
      });
  await settleRefund(deps, id, response, now);
}

/** Books the provider's response about a refund. */
export async function settleRefund(deps: RefundDeps, id: string, response: Refund, now: Date): Promise<void> {
  await deps.db.orm.transaction(async (transaction) => {
    const unlocked = await getRefund(transaction, id);
    const payment = await getPayment(transaction, unlocked.paymentId);
    await lockSubscription(transaction, payment.accountId);
    const refund = await getRefund(transaction, id);
    if (response.state === 'failed') return retryLater(transaction, deps, refund, response, now);
    if (refund.status === 'succeeded') return;
    const endedAt = response.state === 'succeeded' ? now : null;
    const values = { status: response.state, refundId: response.id, endedAt };
    await transaction.update(refunds).set(values).where(eq(refunds.id, id));
    if (response.state === 'pending') return enqueueCheck(transaction, refund, addDays(now, 1));
    await bookRefund(transaction, refund, now);
  });
}

/** The transaction and its credit note change together, so that their sums always match. */
async function bookRefund(orm: Orm, refund: RefundRow, now: Date): Promise<void> {
  const payment = await getPayment(orm, refund.paymentId);
  // A refund that was returned and sent again already has its credit note.
  if (payment.refundedCents > 0) return;
  const isWhole = refund.amountCents >= payment.amountCents;
  await changePayment(orm, payment.id, {
    refundedCents: refund.amountCents,
    ...(isWhole && { status: 'refunded' }),
  });
  const note = await issueCreditNote(orm, payment.id, refund, now);
  await enqueueJob(orm, {
    kind: 'document_mail',
    subject: note.number,
    dedupeKey: `document:${note.number}`,
    dueAt: now,
  });
}

/**
 * A refund that failed, or was returned by the bank, is sent again under a new key, as the money is owed in any case. Not
 * one that was started by hand at the provider and never booked: whether it is owed, only the operator knows.
 */
async function retryLater(
  orm: Orm,
  { log }: RefundDeps,
  refund: RefundRow,
  response: Refund,
  now: Date,
): Promise<void> {
  // The response is about an earlier attempt.
  if (refund.refundId !== null && refund.refundId !== response.id) return;
  const { refundedCents } = await getPayment(orm, refund.paymentId);
  if (refund.reason === 'provider' && refundedCents === 0) {
    await orm.delete(refunds).where(eq(refunds.id, refund.id));
    log.error(
      { payment: refund.paymentId, refund: response.id, amountCents: refund.amountCents },
      'a refund by hand failed or was cancelled at the payment provider: repeat it there if it is owed',
    );
    return;
  }
  const attempts = refund.attempts + 1;
  log.error({ refund: refund.id, attempts }, 'refund failed');
  const values = { status: 'failed' as const, refundId: null, attempts, endedAt: null };
  await orm.update(refunds).set(values).where(eq(refunds.id, refund.id));
  if (attempts < MAX_ATTEMPTS) return enqueueCheck(orm, { ...refund, attempts }, addDays(now, 1));
  log.error({ refund: refund.id, payment: refund.paymentId }, 'refund given up: refund it by hand');
}

async function enqueueCheck(orm: Orm, { id, attempts }: RefundRow, dueAt: Date): Promise<void> {
  const dedupeKey = `refund:${id}:${attempts}:${dueAt.toISOString()}`;
  await enqueueJob(orm, { kind: 'refund', subject: id, dedupeKey, dueAt });
}

async function findRefund(orm: Orm, id: string): Promise<RefundRow | null> {
  const [row] = await orm.select().from(refunds).where(eq(refunds.id, id));
  return row ?? null;
}

async function getRefund(orm: Orm, id: string): Promise<RefundRow> {
  const found = await findRefund(orm, id);
  if (!found) throw new Error(`no refund ${id}`);
  return found;
}
