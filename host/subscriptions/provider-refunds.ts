import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { refunds } from '#host/db/payments.tables';
import type { Deps } from '#host/http/deps';
import { findAttemptOfCharge, getPayment } from '#host/payments/payments.store';
import type { Refund } from '#host/payments/provider';
import { refundDates, settleRefund } from './refunds';
import { lockSubscription } from './subscriptions.store';

/** After a webhook: takes over what became of a refund, be it ours or one that was made by hand at the provider. */
export async function syncRefund(deps: Deps, refundId: string, now: Date): Promise<void> {
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
export async function reportDispute(deps: Deps, chargeId: string, type: string): Promise<void> {
  const attempt = await findAttemptOfCharge(deps.db.orm, chargeId);
  const payment = attempt && (await getPayment(deps.db.orm, attempt.paymentId));
  const about = { account: payment?.accountId, payment: payment?.id, charge: chargeId, type };
  deps.log.error(
    { audit: 'payment_disputed', ...about },
    'a payment is disputed: see to it at the payment provider',
  );
}
