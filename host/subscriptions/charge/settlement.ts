import type { Locale } from '#contract/locales';
import { listAddresses } from '#host/addresses/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { issueInvoice } from '#host/invoices/store';
import { type Buyer, vatOf } from '#host/invoices/tax';
import { cardText, dateTimeText, moneyText, planText } from '#host/invoices/wording';
import { enqueueJob } from '#host/jobs/queue';
import { type AttemptRow, changePayment, type PaymentRow } from '#host/payments/store';
import { accessText, mailOwner, manageUrl } from '#host/subscriptions/billing-mails';
import { addMonths, monthsOf, retryAt } from '#host/subscriptions/calendar';
import { endContract } from '#host/subscriptions/contract/ending';
import { changeSubscription, isOngoing, type SubscriptionRow } from '#host/subscriptions/contract/store';
import { enqueueCharge, enqueueRenewalNotice } from '#host/subscriptions/jobs';
import { confirmPaidOrder } from '#host/subscriptions/order/confirmation';
import { changeOrder, failReplacedOrder, getOrderOf, type OrderRow } from '#host/subscriptions/order/store';
import { requestRefund } from './refunds';

interface SettledCharge {
  payment: PaymentRow;
  subscription: SubscriptionRow;
  attempt: AttemptRow;
}

/**
 * A charge succeeded: invoice, next period, next charge. If the contract has ended meanwhile, the money is refunded.
 */
export async function settleSuccess(orm: Orm, deps: Deps, settled: SettledCharge, now: Date): Promise<void> {
  const { payment, subscription, attempt } = settled;
  const isAwaited = isWaitingFor(subscription, payment);
  const dates = isAwaited ? periodOf(settled, now) : nominalPeriod(payment);
  const paid = { ...payment, status: 'paid' as const, paidAt: now, failure: null, ...periodDates(dates) };
  const { cardBrand, cardLast4 } = attempt;
  await changePayment(orm, payment.id, {
    status: 'paid',
    paidAt: now,
    failure: null,
    cardBrand,
    cardLast4,
    ...periodDates(dates),
  });
  const wasIncomplete = subscription.status === 'incomplete';
  const order = await getOrderOf(orm, payment);
  // What was typed into an order is newer than what was saved; a contract that nobody waits for keeps its buyer.
  const isRunning = isAwaited && !wasIncomplete;
  const buyer = isRunning ? await presentBuyer(orm, payment.accountId, order.buyer) : order.buyer;
  await writeInvoice(orm, deps, paid, { ...order, buyer }, now);
  if (!isAwaited) {
    await failReplacedOrder(orm, payment);
    await requestRefund(orm, deps, paid, { reason: 'after_end' }, now);
    return;
  }
  const next = await changeSubscription(orm, subscription, {
    status: 'active',
    plan: payment.plan,
    priceCents: payment.amountCents,
    nextPlan: null,
    nextPriceCents: null,
    ...dates,
    accessUntil: dates.periodEnd,
    nextPeriod: payment.period + 1,
  });
  await enqueueCharge(orm, next, { planned: 0 }, dates.periodEnd);
  await enqueueRenewalNotice(orm, next);
  if (wasIncomplete) await confirmPaidOrder(orm, deps, next, now);
}

function isWaitingFor(subscription: SubscriptionRow, payment: PaymentRow): boolean {
  const isNext = subscription.id === payment.subscriptionId && subscription.nextPeriod === payment.period;
  return isNext && isOngoing(subscription);
}

interface Period {
  anchor: Date;
  months: number;
  periodStart: Date;
  periodEnd: Date;
}

/**
 * The period that was paid. The first begins at the end of the trial, or on payment if that came later. Later ones are
 * consecutive, counted from the first; one that would already be over, after a long interruption, begins now instead.
 */
function periodOf({ payment, subscription, attempt }: SettledCharge, now: Date): Period {
  const step = monthsOf(payment.plan);
  const { anchor, months, periodEnd } = subscription;
  if (anchor && periodEnd) {
    const end = addMonths(anchor, months + step);
    if (end > now) return { anchor, months: months + step, periodStart: periodEnd, periodEnd: end };
  }
  const isOnTime = payment.period === 0 && attempt.planned === 0 && addMonths(payment.dueAt, step) > now;
  const start = isOnTime ? payment.dueAt : now;
  return { anchor: start, months: step, periodStart: start, periodEnd: addMonths(start, step) };
}

/** The nominal period of a payment that no contract waits for any more. */
function nominalPeriod({ plan, dueAt }: PaymentRow): Period {
  const months = monthsOf(plan);
  return { anchor: dueAt, months, periodStart: dueAt, periodEnd: addMonths(dueAt, months) };
}

function periodDates({ periodStart, periodEnd }: Period) {
  return { periodStart, periodEnd };
}

/**
 * The buyer of an order with the default billing address of the account, if the VAT, and with it the price, is the same
 * there. A business that owes the VAT itself keeps the number that was checked when it ordered.
 */
async function presentBuyer(orm: Orm, accountId: string, ordered: Buyer): Promise<Buyer> {
  const [address] = await listAddresses(orm, accountId);
  if (!address) return ordered;
  const { street, postalCode, country, professional, vatNumber } = address;
  const city = [address.city, address.stateRegion].filter(Boolean).join(', ');
  const numbers = { company: address.companyName, siret: address.siretNumber, vatNumber };
  const buyer = { ...ordered, street, postalCode, city, country, professional, ...numbers };
  const { tax, vatPercent } = vatOf(ordered);
  const saved = vatOf(buyer);
  const isSameVat = saved.tax === tax && saved.vatPercent === vatPercent;
  const isChecked = tax !== 'reverse_charge' || vatNumber === ordered.vatNumber;
  return isSameVat && isChecked ? buyer : ordered;
}

async function writeInvoice(
  orm: Orm,
  { settings }: Deps,
  payment: PaymentRow & Pick<Period, 'periodStart' | 'periodEnd'>,
  { buyer, reference, locale }: Pick<OrderRow, 'buyer' | 'reference' | 'locale'>,
  now: Date,
): Promise<void> {
  const { accountId, id: paymentId, amountCents, plan, periodStart, periodEnd } = payment;
  const { appName, contactEmail, identity } = settings;
  const seller = { ...identity.seller, appName, contactEmail };
  const details = { accountId, paymentId, amountCents, plan, periodStart, periodEnd };
  const { number } = await issueInvoice(orm, { ...details, buyer, seller, reference, locale }, now);
  await enqueueJob(orm, {
    kind: 'document_mail',
    subject: number,
    dedupeKey: `document:${number}`,
    dueAt: now,
  });
}

/** The charge failed: the next planned attempt follows, or the end after the last one. */
export async function settleFailure(
  orm: Orm,
  deps: Deps,
  settled: SettledCharge,
  failure: string,
  now: Date,
): Promise<void> {
  const { payment, subscription, attempt } = settled;
  await changePayment(orm, payment.id, { status: 'failed', failure });
  if (!isWaitingFor(subscription, payment)) {
    await changePayment(orm, payment.id, { status: 'voided' });
    await failReplacedOrder(orm, payment);
    return;
  }
  if (subscription.status === 'incomplete') return failOrder(orm, settled, failure, now);
  const firstCharge = payment.period === 0 ? subscription.trialEnd : null;
  const overdue = await changeSubscription(orm, subscription, {
    status: 'due_date',
    ...(firstCharge && { accessUntil: firstCharge }),
  });
  const nextPlanned = (attempt.planned ?? -1) + 1;
  const nextAt = attempt.planned === null ? null : retryAt(payment.dueAt, nextPlanned, now);
  if (nextAt) {
    await enqueueCharge(orm, overdue, { planned: nextPlanned }, nextAt);
  } else if (attempt.planned !== null) {
    return endUnpaidContract(orm, deps, overdue, payment, now);
  }
  if (nextAt) await mailFailure(orm, deps, { ...settled, subscription: overdue }, nextAt, now);
}

/** Nothing was bought: the order failed, and the buyer can try again with a new order. Nothing is owed. */
async function failOrder(
  orm: Orm,
  { subscription, payment }: SettledCharge,
  failure: string,
  now: Date,
): Promise<void> {
  await endContract(orm, subscription, { status: 'expired', at: now }, now);
  await changePayment(orm, payment.id, { status: 'failed' });
  if (subscription.orderId) await changeOrder(orm, subscription.orderId, { status: 'failed', failure });
}

async function endUnpaidContract(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  payment: PaymentRow,
  now: Date,
): Promise<void> {
  await endContract(orm, subscription, { status: 'expired', at: now }, now);
  const values = (locale: Locale) => ({
    amount: moneyText(payment.amountCents, locale),
    plan: planText(payment.plan, locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.charge_given_up' as const, values };
  await mailOwner(orm, subscription.accountId, { ...mail, dedupeKey: `given-up:${payment.id}` }, now);
}

async function mailFailure(
  orm: Orm,
  deps: Deps,
  { payment, subscription, attempt }: SettledCharge,
  retry: Date,
  now: Date,
): Promise<void> {
  const values = (locale: Locale, timeZone: string) => ({
    amount: moneyText(payment.amountCents, locale),
    plan: planText(payment.plan, locale),
    card: cardText({ brand: attempt.cardBrand, last4: attempt.cardLast4 }, locale),
    retryAt: dateTimeText(retry, locale, timeZone),
    access: accessText(subscription.accessUntil, { locale, timeZone }, now),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.charge_failed' as const, values };
  await mailOwner(orm, subscription.accountId, { ...mail, dedupeKey: `charge-failed:${attempt.key}` }, now);
}
