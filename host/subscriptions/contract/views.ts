import type { PlanSlug } from '#contract/plans';
import type { SubscriptionView } from '#contract/subscriptions';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { findMethod, findPayment } from '#host/payments/store';
import { intervalOf } from '#host/subscriptions/calendar';
import { heldUntil } from '#host/subscriptions/charge/hold';
import { viewWaiting } from '#host/subscriptions/declaration/waiting';
import { findOpenRight } from '#host/subscriptions/declaration/withdrawal';
import { nextChargeAt } from '#host/subscriptions/jobs';
import { findOrder } from '#host/subscriptions/order/store';
import { canSwitch, endsAtOnce, priceOf } from './changes';
import { paidUntil } from './ending';
import { isOngoing, type SubscriptionRow } from './store';

/** A contract as its owner sees it. */
export async function presentSubscription(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionView> {
  const { id, plan, status, accountId, cancelAtPeriodEnd, accessUntil } = subscription;
  const order = subscription.orderId ? await findOrder(orm, subscription.orderId) : null;
  const method = order ? await findMethod(orm, accountId) : null;
  const next = order ? await nextOf(orm, deps, subscription, now) : null;
  const right = await findOpenRight(orm, deps, subscription, now);
  return {
    id,
    reference: order?.reference ?? '',
    plan,
    billingCycle: intervalOf(plan) === 'year' ? 'yearly' : 'monthly',
    status,
    amountCents: subscription.priceCents,
    orderedAt: order?.createdAt.toISOString() ?? null,
    trialEnd: trialEndOf(subscription)?.toISOString() ?? null,
    periodStart: subscription.periodStart?.toISOString() ?? null,
    periodEnd: subscription.periodEnd?.toISOString() ?? null,
    nextRenewal: next && next.code !== 'retry' && next.code !== 'end' ? next.at : null,
    accessUntil: accessUntil.toISOString(),
    running: accessUntil > now,
    cancelAtPeriodEnd,
    cancellation: cancellationOf(subscription, now),
    next,
    switch: await switchOf(orm, deps, subscription, now),
    withdrawUntil: right?.until.toISOString() ?? null,
    withdrawReason: right?.reason ?? null,
    withdrawRefundCents: right?.refundCents ?? null,
    card: method && {
      brand: method.brand,
      last4: method.last4,
      expMonth: method.expMonth,
      expYear: method.expYear,
    },
    declarations: await viewWaiting(orm, id),
  };
}

/** A trial ends no later than its contract. */
function trialEndOf({ trialEnd, endedAt }: SubscriptionRow): Date | null {
  return trialEnd && endedAt && endedAt < trialEnd ? endedAt : trialEnd;
}

function cancellationOf(subscription: SubscriptionRow, now: Date): SubscriptionView['cancellation'] {
  if (!isOngoing(subscription) || !subscription.orderId || subscription.cancelAtPeriodEnd) return null;
  return { endsAt: paidUntil(subscription).toISOString(), atOnce: endsAtOnce(subscription, now) };
}

async function nextOf(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionView['next']> {
  const { id, status, cancelAtPeriodEnd, nextPeriod, nextPriceCents, priceCents } = subscription;
  const amountCents = nextPriceCents ?? priceCents;
  if (status === 'due_date') {
    const retry = await nextChargeAt(orm, subscription);
    if (retry) return { code: 'retry', at: retry.toISOString(), amountCents };
    const payment = await findPayment(orm, id, nextPeriod);
    return payment && { code: 'charging', at: payment.dueAt.toISOString(), amountCents };
  }
  if (status !== 'trialing' && status !== 'active') return null;
  const end = paidUntil(subscription);
  if (cancelAtPeriodEnd) return { code: 'end', at: end.toISOString(), amountCents: 0 };
  const held = await heldUntil(orm, deps, subscription, now);
  const at = held && held > end ? held : end;
  if (at <= now) return { code: 'charging', at: at.toISOString(), amountCents };
  const code = status === 'trialing' ? 'first_charge' : 'renewal';
  return { code, at: at.toISOString(), amountCents };
}

async function switchOf(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionView['switch']> {
  // While a renewal is in progress its plan is settled; it can be changed once that has ended.
  if (!canSwitch(subscription) || paidUntil(subscription) <= now) return null;
  const { plan, nextPlan, nextPriceCents, status } = subscription;
  const at = (status === 'trialing' ? now : paidUntil(subscription)).toISOString();
  if (nextPlan) return { plan: nextPlan, at, amountCents: nextPriceCents ?? 0, pending: true };
  const other: PlanSlug = plan === 'basic_yearly' ? 'basic_monthly' : 'basic_yearly';
  return { plan: other, at, amountCents: await priceOf(orm, deps, subscription, other), pending: false };
}
