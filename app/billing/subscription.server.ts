import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import type { ResponseOf } from '#contract/call';
import { PlanSlug } from '#contract/plans';
import {
  cancelSubscription,
  getSubscription,
  openBillingPortal,
  resumeSubscription,
  type SubscriptionView,
  switchSubscription,
} from '#contract/subscriptions';
import { redirectWithFlash } from '~/http/flash.server';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError, isNotFound } from '~/http/host-error.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { type Formatters, readFormatters } from './formatters.server';
import { declarationTexts } from './owner-link.server';

export const SUBSCRIPTION_PATH = '/user/subscription';
const SWITCH_PATH = `${SUBSCRIPTION_PATH}/switch`;

/** What the page offered: the plan, and its price if it is a new one. */
const SwitchFields = z.object({ plan: PlanSlug, price_cents: z.coerce.number().int().optional() });

/** The account's subscription, worded in the page's language; null if there never was one. */
export async function getOwnSubscription(scope: UserScope) {
  const { subscription, trialAvailable, heldOrders } = (await callHost(scope, getSubscription)).data;
  const formatters = await readFormatters(scope);
  return {
    subscription: subscription && worded(subscription, formatters),
    trialAvailable,
    heldOrders: heldOrders.map(({ id, plan, trialHours, amountCents, placedAt, confirmBy }) => ({
      id,
      plan,
      trialHours,
      amount: formatters.money(amountCents),
      placed: formatters.dateTime(placedAt),
      until: formatters.dateTime(confirmBy),
    })),
  };
}
type Own = Awaited<ReturnType<typeof getOwnSubscription>>;
export type OwnSubscription = NonNullable<Own['subscription']>;
export type OwnHeldOrder = Own['heldOrders'][number];
export type OwnDeclaration = OwnSubscription['declarations'][number];

function worded(view: SubscriptionView, { money, day, dateTime, lastDay }: Formatters) {
  const { reference, plan, billingCycle, status, running, cancelAtPeriodEnd, next, card } = view;
  return {
    reference,
    plan,
    billingCycle,
    status,
    running,
    cancelAtPeriodEnd,
    /** What the label says; a cancelled one is neither on trial nor active to its reader. */
    state: running && cancelAtPeriodEnd ? ('ending' as const) : status,
    isOrdered: reference !== '',
    amount: money(view.amountCents),
    orderedAt: view.orderedAt && day(view.orderedAt),
    trialEnd: view.trialEnd && dateTime(view.trialEnd),
    nextRenewal: view.nextRenewal && dateTime(view.nextRenewal),
    accessUntil: dateTime(view.accessUntil),
    cancellation: view.cancellation && {
      date: dateTime(view.cancellation.endsAt),
      isAtOnce: view.cancellation.atOnce,
    },
    withdraw: view.withdrawReason && {
      reason: view.withdrawReason,
      isFree: view.withdrawRefundCents === 0,
      amount: money(view.withdrawRefundCents ?? 0),
      date: view.withdrawUntil && lastDay(view.withdrawUntil),
    },
    card: card && { brand: cardBrand(card.brand), last4: card.last4, expires: expiry(card) },
    next: next && { code: next.code, date: dateTime(next.at), amount: money(next.amountCents) },
    declarations: view.declarations.map(({ id, kind, receivedAt, effectiveAt }) => ({
      id,
      texts: declarationTexts(kind),
      date: dateTime(receivedAt),
      effect: dateTime(effectiveAt),
    })),
    switch: view.switch && {
      plan: view.switch.plan,
      pending: view.switch.pending,
      date: dateTime(view.switch.at),
      amount: money(view.switch.amountCents),
      priceCents: view.switch.amountCents,
    },
  };
}

/** Display name of a card brand: `Visa` for `visa`. */
export function cardBrand(brand: string): string {
  return brand.charAt(0).toUpperCase() + brand.slice(1);
}

function expiry({ expMonth, expYear }: { expMonth: number; expYear: number }): string {
  return `${String(expMonth).padStart(2, '0')}/${String(expYear % 100).padStart(2, '0')}`;
}

/** The subscription if it `can` be changed that way; otherwise redirects to its page, which says why. */
export async function requireChangeable(
  scope: UserScope,
  can: (subscription: OwnSubscription) => boolean,
): Promise<OwnSubscription> {
  const { subscription } = await getOwnSubscription(scope);
  if (!subscription || !can(subscription)) throw redirect(SUBSCRIPTION_PATH, 303);
  return subscription;
}

export function canCancel({ isOrdered, status, cancelAtPeriodEnd }: OwnSubscription): boolean {
  return isOrdered && status !== 'expired' && status !== 'canceled' && !cancelAtPeriodEnd;
}

export function canResume({ isOrdered, cancelAtPeriodEnd, next }: OwnSubscription): boolean {
  return isOrdered && cancelAtPeriodEnd && next?.code === 'end';
}

/** Opens the provider's page for the card. */
export async function manage(scope: UserScope) {
  const { locale } = scope;
  try {
    const { data: portal } = await callHost(scope, openBillingPortal, { body: { locale } });
    return redirect(portal.url, 303);
  } catch (thrown) {
    if (isNotFound(thrown)) return redirect(SUBSCRIPTION_PATH, 303);
    throw asPage(thrown);
  }
}

export async function cancel(scope: UserScope) {
  return change(scope, () => callHost(scope, cancelSubscription));
}

export async function resume(scope: UserScope) {
  return change(scope, () => callHost(scope, resumeSubscription));
}

/** A change already made in another window counts as done; one at another price than was shown is shown again. */
async function change(scope: Scope, act: () => Promise<ResponseOf<typeof cancelSubscription>>) {
  try {
    const { status, message, data: changed } = await act();
    const date = (await readFormatters(scope)).dateTime(changed.accessUntil);
    const key = changed.status === 'canceled' ? ('subscription_ended' as const) : message;
    const notice = { type: status, key, values: { date }, persistent: true };
    return redirectWithFlash(SUBSCRIPTION_PATH, notice);
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.errors.price_cents) {
      return redirectWithFlash(SWITCH_PATH, { type: 'warning', key: 'price_changed', persistent: true });
    }
    if (!(thrown instanceof HostError && thrown.status === 409)) throw asPage(thrown);
    return redirect(SUBSCRIPTION_PATH, 303);
  }
}

function asPage(thrown: unknown) {
  return thrown instanceof HostError ? data(null, { status: thrown.status }) : thrown;
}

/** The possible change between monthly and yearly, or the pending one that can be cancelled. */
export async function requireSwitch(scope: UserScope) {
  const subscription = await requireChangeable(scope, (one) => one.switch !== null);
  const {
    plan = 'basic_monthly',
    pending = false,
    date = '',
    amount = '',
    priceCents = 0,
  } = subscription.switch ?? {};
  /** Only ordered subscriptions can switch, and every order names a plan. */
  const present = PlanSlug.catch('basic_monthly').parse(subscription.plan);
  const fields: Record<string, string> = pending
    ? { plan: present }
    : { plan, price_cents: String(priceCents) };
  return {
    plan,
    pending,
    date,
    amount,
    present,
    fields,
    isAtOnce: subscription.status === 'trialing',
  };
}

/** Switches to the plan that the page offered, or keeps the present one; sent twice, it does the same. */
export async function switchOver(scope: UserScope) {
  const form = await readForm(scope, Object.keys(SwitchFields.shape));
  const { data: body } = SwitchFields.safeParse(Object.fromEntries(form));
  if (!body) return redirect(SWITCH_PATH, 303);
  return change(scope, () => callHost(scope, switchSubscription, { body }));
}
