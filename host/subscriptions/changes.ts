import type { Locale } from '#contract/locales';
import type { PlanSlug } from '#contract/plans';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { fillText, momentText, moneyText, planText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { mailOwner, manageUrl } from './billing-mails';
import { endAtPeriodEnd, paidUntil } from './ending';
import { getOrder } from './orders.store';
import { priceAt } from './prices';
import { changeSubscription, type SubscriptionRow } from './subscriptions.store';

/**
 * Stops further charges. The contract ends with what was paid for, or with the trial; at once where that is over, or a
 * charge overdue: nothing is paid for then. Cancelling twice changes nothing. The row must be locked.
 */
export async function cancelRenewal(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  const isOver = paidUntil(subscription) <= now;
  if (subscription.status === 'due_date' || isOver) {
    return endAtPeriodEnd(orm, deps, subscription, now);
  }
  const canceled = await changeSubscription(orm, subscription, {
    cancelAtPeriodEnd: true,
    nextPlan: null,
    nextPriceCents: null,
  });
  const values = (locale: Locale) => ({
    plan: planText(subscription.plan, locale),
    endAt: momentText(paidUntil(subscription), locale),
    dropped: droppedText(subscription, locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.canceled' as const, values };
  await mailOwner(orm, subscription.accountId, mail, now);
  return canceled;
}

/** What a cancellation says of a change of plan that it drops; empty where none was planned. */
function droppedText(subscription: SubscriptionRow, locale: Locale): string {
  const { nextPlan } = subscription;
  if (!nextPlan) return '';
  const date = momentText(paidUntil(subscription), locale);
  return fillText(BILLING_TEXTS[locale].dropped_switch, { plan: planText(nextPlan, locale), date });
}

/** Takes a cancellation back while it has not taken effect; `conflict` otherwise. */
export async function undoCancellation(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  if (!subscription.cancelAtPeriodEnd || paidUntil(subscription) <= now) throw new ApiError('conflict');
  const resumed = await changeSubscription(orm, subscription, { cancelAtPeriodEnd: false });
  const values = (locale: Locale) => ({
    plan: planText(subscription.plan, locale),
    amount: moneyText(subscription.priceCents, locale),
    nextAt: momentText(paidUntil(subscription), locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.resumed' as const, values };
  await mailOwner(orm, subscription.accountId, mail, now);
  return resumed;
}

/**
 * Changes between monthly and yearly: at once during the trial, when nothing was paid; otherwise with the next renewal.
 * Asking for the present plan takes a pending change back. `conflict` where neither is possible.
 */
export async function switchPlan(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  plan: PlanSlug,
  now: Date,
): Promise<SubscriptionRow> {
  if (!canSwitch(subscription) || paidUntil(subscription) <= now) throw new ApiError('conflict');
  const isPresent = subscription.plan === plan;
  if (isPresent && !subscription.nextPlan) throw new ApiError('conflict');
  const priceCents = isPresent ? subscription.priceCents : await priceOf(orm, deps, subscription, plan);
  const isTrial = subscription.status === 'trialing';
  const changes = isPresent
    ? { nextPlan: null, nextPriceCents: null }
    : isTrial
      ? { plan, priceCents }
      : { nextPlan: plan, nextPriceCents: priceCents };
  const switched = await changeSubscription(orm, subscription, changes);
  const values = (locale: Locale) => ({
    plan: planText(plan, locale),
    fromAt: momentText(isTrial ? now : paidUntil(subscription), locale),
    amount: moneyText(priceCents, locale),
    nextAt: momentText(paidUntil(subscription), locale),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.switched' as const, values };
  await mailOwner(orm, subscription.accountId, mail, now);
  return switched;
}

export function canSwitch({ status, cancelAtPeriodEnd, orderId }: SubscriptionRow): boolean {
  return (status === 'trialing' || status === 'active') && !cancelAtPeriodEnd && orderId !== null;
}

/** What a plan costs whoever placed the order, with or without VAT as on their invoices. */
export async function priceOf(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  { orderId }: SubscriptionRow,
  slug: PlanSlug,
): Promise<number> {
  const { buyer } = await getOrder(orm, orderId);
  return priceAt(settings.plans, slug, buyer).priceCents;
}
