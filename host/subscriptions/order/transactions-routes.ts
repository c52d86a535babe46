import {
  checkPaymentStatus,
  listTransactions,
  type PaymentStatus,
  type Transaction,
} from '#contract/transactions';
import { findCodeOfDraft } from '#host/codes/code/create';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { listDocumentNumbers } from '#host/invoices/store';
import { listPayments, type PaymentRow } from '#host/payments/store';
import { advanceOrder } from '#host/subscriptions/billing-work';
import { addHours } from '#host/subscriptions/calendar';
import { listExpectedRefunds } from '#host/subscriptions/charge/refunds';
import { STATUS_PER_IP } from '#host/subscriptions/limits';
import { wasConfirmed } from './held';
import { canCorrect, canResend } from './mail';
import { findOrderByIntent, type OrderRow } from './store';

export function mountTransactions({ mount }: Router, deps: Deps): void {
  const { db, clock } = deps;

  mount(listTransactions, async ({ caller, query }) => {
    const { rows, total } = await listPayments(db.orm, caller.accountId, query);
    const ids = rows.map(({ id }) => id);
    const [numbers, expectedRefunds] = await Promise.all([
      listDocumentNumbers(db.orm, ids),
      listExpectedRefunds(db.orm, ids, clock.now()),
    ]);
    const data = rows.map((row) => {
      const refund = expectedRefunds.find(({ paymentId }) => paymentId === row.id);
      return presentPayment(row, numbers, refund);
    });
    return { data, meta: { ...query, total } };
  });

  mount(checkPaymentStatus, async ({ body, clientIp, log }) => {
    const now = clock.now();
    await consumeRateLimit(db.orm, STATUS_PER_IP, clientIp, now);
    const order = await findOrderByIntent(db.orm, body.payment_intent_id);
    if (!order) throw new ApiError('not_found');
    if (order.status !== 'incomplete') return { data: await present(order, body.visitor, now) };
    // The webhook may still be on its way. If the provider does not respond, the order is simply still open.
    await advanceOrder(deps, order.id, now).catch((error: unknown) =>
      log.error({ err: error, order: order.id }, 'an order could not be looked up'),
    );
    const advanced = (await findOrderByIntent(db.orm, body.payment_intent_id)) ?? order;
    return { data: await present(advanced, body.visitor, now) };
  });

  async function present(order: OrderRow, visitor: string | undefined, now: Date): Promise<PaymentStatus> {
    const { draftId, ownerId, accountId } = order;
    // If the buyer was not signed in, the design becomes a code only when the account is set up.
    const code = accountId && ownerId && draftId ? await findCodeOfDraft(db.orm, ownerId, draftId) : null;
    return {
      ...presentOrder(order),
      draft: code ? null : draftId,
      code,
      canResend: canResend(order, now),
      canCorrect: canCorrect(order, visitor, now),
    };
  }
}

/**
 * An order that is held, discarded, or refused because of another person's account looks like a completed one. A buyer
 * who was signed in is told of the refusal: it is about the buyer's own contract.
 */
function presentOrder(order: OrderRow) {
  const { status, reference, plan, priceCents, trialHours, confirmBy, accountId } = order;
  const isDiscarded = confirmBy !== null && !wasConfirmed(order);
  const hasFailed = status === 'refused' ? accountId !== null : status === 'failed' && !isDiscarded;
  const state: PaymentStatus['state'] =
    status === 'incomplete' ? 'pending' : hasFailed ? 'failed' : 'succeeded';
  const startedAt = order.completedAt ?? order.createdAt;
  return {
    state,
    failure: state === 'failed' ? (order.failure ?? 'card_declined') : null,
    offer: plan,
    amountCents: priceCents,
    currency: 'EUR' as const,
    reference,
    email: maskEmail(order.email),
    firstChargeAt: trialHours > 0 ? addHours(startedAt, trialHours).toISOString() : null,
  };
}

/** `ada@shop.example` becomes `a•••@shop.example`. */
function maskEmail(email: string): string {
  return email.replace(/^(.).*(?=@)/u, '$1•••');
}

function presentPayment(
  row: PaymentRow,
  numbers: { number: string; series: 'F' | 'A'; paymentId: string }[],
  refund: Awaited<ReturnType<typeof listExpectedRefunds>>[number] | undefined,
): Transaction {
  const linkOf = (series: 'F' | 'A') => {
    const found = numbers.find((document) => document.paymentId === row.id && document.series === series);
    return found ? { number: found.number, path: `/api/invoices/${found.number}.pdf` } : null;
  };
  return {
    id: row.id,
    amountCents: row.amountCents,
    refundedCents: row.refundedCents,
    refund: refund
      ? {
          amountCents: refund.amountCents,
          from: refund.expectedFrom.toISOString(),
          until: refund.expectedUntil.toISOString(),
        }
      : null,
    currency: 'EUR',
    status: row.status,
    method: row.cardLast4 ? { brand: row.cardBrand, last4: row.cardLast4 } : null,
    description: row.period === 0 ? 'first_period' : 'renewal',
    plan: row.plan,
    periodStart: row.periodStart?.toISOString() ?? null,
    periodEnd: row.periodEnd?.toISOString() ?? null,
    date: (row.paidAt ?? row.createdAt).toISOString(),
    failure: row.failure,
    invoice: linkOf('F'),
    creditNote: linkOf('A'),
  };
}
