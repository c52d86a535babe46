import type { Locale } from '#contract/locales';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { dateText, lastDayText, momentText, moneyText, planText } from '#host/invoices/wording';
import { listPaid, type PaymentRow } from '#host/payments/payments.store';
import { mailOwner } from './billing-mails';
import { statutoryWithdrawalEnd, withdrawalEnd } from './calendar';
import { endContract } from './ending';
import { getOrder, markUsed, type OrderRow, trialMark, wasUsed } from './orders.store';
import { requestRefund } from './refunds';
import { isLive, type SubscriptionRow } from './subscriptions.store';

interface Right {
  reason: 'withdrawal' | 'money_back';
  /** When it ends. */
  until: Date;
}

/**
 * What lets a customer have the money back, the later of two: the consumer's right of withdrawal, 14 days from the order,
 * and the seller's promise for the first payment, so many days from it and once per person.
 */
async function rightOf(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  order: OrderRow,
  [first]: PaymentRow[],
): Promise<Right | null> {
  const statutory = order.buyer.professional ? null : statutoryWithdrawalEnd(order);
  const isPromised = first?.period === 0 && !(await wasUsed(orm, 'money_back', trialMark(order.email)));
  const promised =
    isPromised && first.paidAt ? withdrawalEnd(first.paidAt, settings.plans.withdrawalDays) : null;
  if (promised && (!statutory || promised > statutory)) return { reason: 'money_back', until: promised };
  return statutory && { reason: 'withdrawal', until: statutory };
}

/** What lets a contract be undone now with everything paid back, and until when; null when nothing does. */
export async function findOpenRight(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  now: Date,
): Promise<Right | null> {
  if (!isLive(subscription) || !subscription.orderId) return null;
  const order = await getOrder(orm, subscription.orderId);
  const right = await rightOf(orm, deps, order, await listPaid(orm, subscription.id));
  return right && right.until > now ? right : null;
}

export type Outcome = 'done' | 'nothing_to_do' | 'too_late';

/**
 * Undoes a contract as declared at `declaredAt`: it ends at once and everything paid is paid back; where nothing was
 * paid it simply ends. Mails what came of it. The row must be locked.
 */
export async function withdraw(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  declaredAt: Date,
  now: Date,
): Promise<Outcome> {
  const order = await getOrder(orm, subscription.orderId);
  const paid = await listPaid(orm, subscription.id);
  if (paid.length === 0) {
    if (!isLive(subscription)) return 'nothing_to_do';
    await endContract(orm, subscription, { status: 'canceled', at: now }, now);
    await tell(orm, subscription, 'billing-mail.withdrawn_free', () => ({}), now);
    return 'done';
  }
  const right = await rightOf(orm, deps, order, paid);
  if (!right || declaredAt >= right.until) {
    const deadline = (locale: Locale) => ({
      receivedAt: momentText(declaredAt, locale),
      deadline: right ? lastDayText(right.until, locale) : '–',
      actionUrl: `${deps.settings.publicUrl}/cancel-contract`,
    });
    await tell(orm, subscription, 'billing-mail.withdraw_late', deadline, now);
    return 'too_late';
  }
  if (isLive(subscription)) await endContract(orm, subscription, { status: 'canceled', at: now }, now);
  if (right.reason === 'money_back') await markUsed(orm, 'money_back', trialMark(order.email), now);
  const back = await payBack(orm, deps, paid, right, now);
  const amount = paid.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const refund = (locale: Locale) => ({
    amount: moneyText(amount, locale),
    from: dateText(back.expectedFrom, locale),
    until: dateText(back.expectedUntil, locale),
  });
  await tell(orm, subscription, 'billing-mail.withdrawn', refund, now);
  return 'done';
}

async function payBack(orm: Orm, deps: Deps, paid: PaymentRow[], { reason }: Right, now: Date) {
  let dates = { expectedFrom: now, expectedUntil: now };
  for (const payment of paid) dates = await requestRefund(orm, deps, payment, reason, now);
  return dates;
}

type Template = 'billing-mail.withdrawn' | 'billing-mail.withdrawn_free' | 'billing-mail.withdraw_late';

async function tell(
  orm: Orm,
  { accountId, id, plan }: SubscriptionRow,
  template: Template,
  values: (locale: Locale) => Record<string, string>,
  now: Date,
): Promise<void> {
  const all = (locale: Locale) => ({
    plan: planText(plan, locale),
    endAt: momentText(now, locale),
    ...values(locale),
  });
  const dedupeKey = `${template}:${id}:${now.toISOString()}`;
  await mailOwner(orm, accountId, { template, values: all, dedupeKey }, now);
}
