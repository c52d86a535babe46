import type { z } from 'zod';
import type { Locale } from '#contract/locales';
import type { PlanSlug } from '#contract/plans';
import type { switchSubscription } from '#contract/subscriptions';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { dateTimeText, fillText, moneyText, planText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { priceAt } from '#host/plans/plans';
import { mailOwner, manageUrl } from '#host/subscriptions/billing-mails';
import { enqueueRenewalNotice } from '#host/subscriptions/jobs';
import { getOrder } from '#host/subscriptions/order/store';
import { endAtPeriodEnd, paidUntil } from './ending';
import { changeSubscription, type SubscriptionRow } from './store';

/**
 * Stops further charges. The contract ends with the paid period or the trial, or at once if that is over, a charge is
 * overdue or the first payment has not arrived, as nothing is paid for then. Cancelling twice changes nothing. The row
 * must be locked.
 */
export async function cancelRenewal(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  if (endsAtOnce(subscription, now)) {
    return endAtPeriodEnd(orm, deps, subscription, now);
  }
  const canceled = await changeSubscription(orm, subscription, {
    cancelAtPeriodEnd: true,
    nextPlan: null,
    nextPriceCents: null,
  });
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(subscription.plan, locale),
    endAt: dateTimeText(paidUntil(subscription), locale, timeZone),
    dropped: droppedSwitchText(subscription, locale, timeZone),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.canceled' as const, values };
  await mailOwner(orm, subscription.accountId, mail, now);
  return canceled;
}

/** Whether a cancellation made now would end the contract at once. */
export function endsAtOnce(subscription: SubscriptionRow, now: Date): boolean {
  const isUnpaid = subscription.status === 'due_date' || subscription.status === 'incomplete';
  return isUnpaid || paidUntil(subscription) <= now;
}

/** What a cancellation mail says about a planned change of plan that it drops; empty if none was planned. */
function droppedSwitchText(subscription: SubscriptionRow, locale: Locale, timeZone: string): string {
  const { nextPlan } = subscription;
  if (!nextPlan) return '';
  const date = dateTimeText(paidUntil(subscription), locale, timeZone);
  return fillText(BILLING_TEXTS[locale].dropped_switch, { plan: planText(nextPlan, locale), date });
}

/** Withdraws a cancellation that has not taken effect yet; otherwise throws `conflict`. */
export async function undoCancellation(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  if (!subscription.cancelAtPeriodEnd || paidUntil(subscription) <= now) throw new ApiError('conflict');
  const resumed = await changeSubscription(orm, subscription, { cancelAtPeriodEnd: false });
  await enqueueRenewalNotice(orm, resumed, now);
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(subscription.plan, locale),
    amount: moneyText(subscription.priceCents, locale),
    nextAt: dateTimeText(paidUntil(subscription), locale, timeZone),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.resumed' as const, values };
  await mailOwner(orm, subscription.accountId, mail, now);
  return resumed;
}

/**
 * Switches between monthly and yearly: at once during the trial, when nothing is paid yet; otherwise with the next
 * renewal. Switching to the current plan cancels a pending change; asking again for what is pending changes nothing.
 * Throws `conflict` if none of these is possible, and `price_differs` if the price is not the one that was shown.
 */
export async function switchPlan(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  { plan, price_cents }: z.output<typeof switchSubscription.body>,
  now: Date,
): Promise<SubscriptionRow> {
  if (!canSwitch(subscription) || paidUntil(subscription) <= now) throw new ApiError('conflict');
  if (subscription.nextPlan === plan) return subscription;
  const isCurrentPlan = subscription.plan === plan;
  if (isCurrentPlan && !subscription.nextPlan) throw new ApiError('conflict');
  const priceCents = isCurrentPlan ? subscription.priceCents : await priceOf(orm, deps, subscription, plan);
  if ((price_cents ?? priceCents) !== priceCents) throw invalidField('price_cents', 'price_differs');
  const isTrial = subscription.status === 'trialing';
  const changes = isCurrentPlan
    ? { nextPlan: null, nextPriceCents: null }
    : isTrial
      ? { plan, priceCents }
      : { nextPlan: plan, nextPriceCents: priceCents };
  const switched = await changeSubscription(orm, subscription, changes);
  // The notice that was sent may have told of the other plan.
  if (isCurrentPlan) await enqueueRenewalNotice(orm, switched, now);
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(plan, locale),
    fromAt: dateTimeText(isTrial ? now : paidUntil(subscription), locale, timeZone),
    amount: moneyText(priceCents, locale),
    nextAt: dateTimeText(paidUntil(subscription), locale, timeZone),
    actionUrl: manageUrl(deps),
  });
  const mail = { template: 'billing-mail.switched' as const, values };
  await mailOwner(orm, subscription.accountId, mail, now);
  return switched;
}

export function canSwitch({ status, cancelAtPeriodEnd, orderId }: SubscriptionRow): boolean {
  return (status === 'trialing' || status === 'active') && !cancelAtPeriodEnd && orderId !== null;
}

/** What a plan costs the buyer of the order, with or without VAT as on their invoices. */
export async function priceOf(
  orm: Orm,
  { settings }: Pick<Deps, 'settings'>,
  { orderId }: SubscriptionRow,
  slug: PlanSlug,
): Promise<number> {
  const { buyer } = await getOrder(orm, orderId);
  return priceAt(settings.plans, slug, buyer).priceCents;
}
