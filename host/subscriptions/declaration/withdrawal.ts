import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { dateText, dateTimeText, fillText, lastDayText, moneyText, planText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { listPaid, type PaymentRow, wasRefunded } from '#host/payments/store';
import { mailOwner } from '#host/subscriptions/billing-mails';
import { addDays, statutoryWithdrawalEnd, withdrawalEnd } from '#host/subscriptions/calendar';
import { REPAYMENT_DAYS, requestRefund } from '#host/subscriptions/charge/refunds';
import { describeCharges, endContract, endDeclared } from '#host/subscriptions/contract/ending';
import { isLive, isOngoing, type SubscriptionRow } from '#host/subscriptions/contract/store';
import {
  getOrder,
  isOfferUsedByMailbox,
  markOfferUsed,
  type OrderRow,
  trialDigest,
} from '#host/subscriptions/order/store';

interface Right {
  reason: 'withdrawal' | 'money_back';
  /** When the right ends. */
  until: Date;
  /** When the statutory right of withdrawal ends or ended; null for professionals, who have none. */
  withdrawalUntil: Date | null;
}

/**
 * What entitles a customer to a refund, the later of two: the consumer's right of withdrawal, 14 days from the order,
 * and the seller's promise for the first payment, counted in days from it and given once per person.
 */
async function rightOf(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  order: OrderRow,
  [first]: PaymentRow[],
): Promise<Right | null> {
  const statutory = order.buyer.professional ? null : statutoryWithdrawalEnd(order);
  const isPromised = first?.period === 0 && !(await isOfferUsedByMailbox(orm, 'money_back', order.email));
  const promised =
    isPromised && first.paidAt ? withdrawalEnd(first.paidAt, settings.plans.withdrawalDays) : null;
  if (promised && (!statutory || promised > statutory)) {
    return { reason: 'money_back', until: promised, withdrawalUntil: statutory };
  }
  return statutory && { reason: 'withdrawal', until: statutory, withdrawalUntil: statutory };
}

/** The right to undo a contract now with a full refund, until when, and how much that is; null if there is none. */
export async function findOpenRight(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  now: Date,
): Promise<(Right & { refundCents: number }) | null> {
  if (!isLive(subscription) || !subscription.orderId) return null;
  const order = await getOrder(orm, subscription.orderId);
  const paid = await listPaid(orm, subscription.id);
  const right = await rightOf(orm, deps, order, paid);
  return right && right.until > now ? { ...right, refundCents: sumOf(paid) } : null;
}

/** What is left to refund: a part may have been refunded before. */
function sumOf(paid: PaymentRow[]): number {
  return paid.reduce((sum, { amountCents, refundedCents }) => sum + amountCents - refundedCents, 0);
}

/**
 * What undoing a contract now would refund, by when at the latest, and whether it can be undone: always, if there is
 * nothing to refund.
 */
export async function findRefundable(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  now: Date,
): Promise<{ isOpen: boolean; amountCents: number; latest: Date | null }> {
  const paid = await listPaid(orm, subscription.id);
  const right = await findOpenRight(orm, deps, subscription, now);
  const latest = right && latestRefund(right, now);
  return { isOpen: paid.length === 0 || right !== null, amountCents: sumOf(paid), latest };
}

/** Whether a declaration made now would end the contract or refund something. */
export async function canWithdraw(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  receivedAt: Date,
): Promise<boolean> {
  const paid = await listPaid(orm, subscription.id);
  if (paid.length === 0) return isOngoing(subscription);
  const order = await getOrder(orm, subscription.orderId);
  const right = await rightOf(orm, deps, order, paid);
  return right !== null && receivedAt < right.until;
}

export type Outcome = 'done' | 'nothing_to_do' | 'too_late';

/** What was declared, and when it arrived. */
interface Declared {
  kind: 'withdraw' | 'money_back';
  receivedAt: Date;
}

/**
 * Undoes a contract as declared: it ends at once and all payments are refunded; if there are none it simply ends.
 * Mails the result, worded for the kind of declaration. The row must be locked.
 */
export async function withdraw(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  { kind, receivedAt }: Declared,
  now: Date,
): Promise<Outcome> {
  const paid = await listPaid(orm, subscription.id);
  if (paid.length === 0) {
    if (!isOngoing(subscription)) return 'nothing_to_do';
    const charges = await describeCharges(orm, subscription);
    const cause = (await wasRefunded(orm, subscription.id)) ? 'refunded' : 'never_paid';
    await endDeclared(orm, subscription, now, now);
    const template = kind === 'money_back' ? 'billing-mail.money_back_free' : 'billing-mail.withdrawn_free';
    const values = (locale: Locale) => ({
      refund: BILLING_TEXTS[locale].nothing_to_refund[cause],
      charges: charges(locale),
    });
    await mailOutcome(orm, subscription, template, values, now);
    return 'done';
  }
  const order = await getOrder(orm, subscription.orderId);
  const right = await rightOf(orm, deps, order, paid);
  if (!right || receivedAt >= right.until) {
    if (!isLive(subscription)) return 'nothing_to_do';
    const refusalValues = (locale: Locale, timeZone: string) => ({
      receivedAt: dateTimeText(receivedAt, locale, timeZone),
      reason: refusalText(kind, right, locale),
      actionUrl: `${deps.settings.publicUrl}/cancel-contract`,
    });
    const template = kind === 'money_back' ? 'billing-mail.money_back_late' : 'billing-mail.withdraw_late';
    await mailOutcome(orm, subscription, template, refusalValues, now);
    return 'too_late';
  }
  if (isLive(subscription)) await endContract(orm, subscription, { status: 'canceled', at: now }, now);
  // Within the withdrawal period the promise is not needed, even if it lasts longer.
  const reason = isStatutory(right, receivedAt) ? ('withdrawal' as const) : ('money_back' as const);
  if (reason === 'money_back') await markOfferUsed(orm, 'money_back', trialDigest(order.email), now);
  const latest = latestRefund(right, receivedAt);
  const refundDates = await refundAll(orm, deps, paid, { reason, latest }, now);
  const refundValues = (locale: Locale) => ({
    amount: moneyText(sumOf(paid), locale),
    from: dateText(refundDates.expectedFrom, locale),
    until: dateText(refundDates.expectedUntil, locale),
  });
  // After the withdrawal period only the promise is left, whichever of the two was declared.
  const isWithdrawal = kind === 'withdraw' && reason === 'withdrawal';
  const template = isWithdrawal ? 'billing-mail.withdrawn' : 'billing-mail.money_back_granted';
  await mailOutcome(orm, subscription, template, refundValues, now);
  return 'done';
}

/** Only professionals may have no right at all. */
function refusalText(kind: Declared['kind'], right: Right | null, locale: Locale): string {
  const { withdraw: late, money_back, none } = BILLING_TEXTS[locale].refused;
  if (!right) return none;
  const deadline = lastDayText(right.until, locale);
  return fillText(kind === 'money_back' ? money_back : late, { deadline });
}

/** Whether it was declared within the statutory period. */
function isStatutory({ withdrawalUntil }: Right, receivedAt: Date): boolean {
  return withdrawalUntil !== null && receivedAt < withdrawalUntil;
}

/** When the law wants the money back at the latest; the promise has no limit but our own. */
function latestRefund(right: Right, receivedAt: Date): Date | null {
  return isStatutory(right, receivedAt) ? addDays(receivedAt, REPAYMENT_DAYS) : null;
}

async function refundAll(
  orm: Orm,
  deps: Deps,
  paid: PaymentRow[],
  details: Parameters<typeof requestRefund>[3],
  now: Date,
) {
  let dates = { expectedFrom: now, expectedUntil: now };
  for (const payment of paid) dates = await requestRefund(orm, deps, payment, details, now);
  return dates;
}

type Template =
  `billing-mail.${'withdrawn' | 'withdrawn_free' | 'withdraw_late' | 'money_back_granted' | 'money_back_free' | 'money_back_late'}`;

async function mailOutcome(
  orm: Orm,
  { accountId, id, plan }: SubscriptionRow,
  template: Template,
  values: (locale: Locale, timeZone: string) => Record<string, string>,
  now: Date,
): Promise<void> {
  const all = (locale: Locale, timeZone: string) => ({
    plan: planText(plan, locale),
    endAt: dateTimeText(now, locale, timeZone),
    ...values(locale, timeZone),
  });
  const dedupeKey = `${template}:${id}:${now.toISOString()}`;
  await mailOwner(orm, accountId, { template, values: all, dedupeKey }, now);
}
