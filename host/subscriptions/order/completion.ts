import { randomUUID } from 'node:crypto';
import { ensureAccount } from '#host/accounts/onboarding';
import { findAccount, findAccountByEmail } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import type { SavedCard, Setup } from '#host/http/payment-provider';
import { enqueueJob } from '#host/jobs/queue';
import { closeOpenPayments, findMethod, hashFingerprint, hasPending, putMethod } from '#host/payments/store';
import { addHours, trialReminderAt } from '#host/subscriptions/calendar';
import {
  findSubscription,
  isLive,
  lockSubscription,
  putSubscription,
} from '#host/subscriptions/contract/store';
import { enqueueCharge } from '#host/subscriptions/jobs';
import { confirmCompleted } from './confirmation';
import { holdOrder, isInUse } from './held';
import { notifyOwner } from './place';
import {
  ACCOUNT_GONE,
  changeOrder,
  failReplacedOrder,
  findOrder,
  isOfferUsed,
  lockOrder,
  markOfferUsed,
  type OrderRow,
} from './store';
import { hadTrial, markTrial } from './trials';

/**
 * Checks the result of an order's card page and carries the order out, once, however often and from wherever it is
 * called: webhook, the page after paying, or the order's expiry. If its address belongs to an account in use, it is
 * held until the owner confirms it. Returns the keys of the jobs to be done now, in this order.
 */
export async function completeOrder(deps: Deps, orderId: string, now: Date): Promise<string[]> {
  return complete(deps, orderId, 'incomplete', now);
}

/** Carries out a held order, once, after the owner of its address has confirmed it. */
export async function completeHeldOrder(deps: Deps, orderId: string, now: Date): Promise<string[]> {
  return complete(deps, orderId, 'unconfirmed', now);
}

async function complete(
  deps: Deps,
  orderId: string,
  expectedStatus: 'incomplete' | 'unconfirmed',
  now: Date,
): Promise<string[]> {
  const { orm } = deps.db;
  const order = await findOrder(orm, orderId);
  if (order?.status !== expectedStatus || !order.setupId || order.subscriptionId) return [];
  const setup = await deps.payments.getSetup(order.setupId);
  if (setup.state === 'expired') await abandonOrder(orm, order, 'expired', now);
  if (setup.state !== 'succeeded' || !setup.card) return [];
  const { card } = setup;
  return orm.transaction((transaction) => fulfillOrder(transaction, deps, order, { ...setup, card }, now));
}

/** Ends an unfinished order; the provider forgets its customer, who never entered a card. */
export async function abandonOrder(orm: Orm, found: OrderRow, failure: string, now: Date): Promise<void> {
  await orm.transaction(async (transaction) => {
    const order = await lockOrder(transaction, found.id);
    if (order.status !== found.status || order.subscriptionId) return;
    await changeOrder(transaction, order.id, { status: 'failed', failure });
    if (order.customerId)
      await forgetUnusedCustomer(transaction, order, { customerId: order.customerId }, now);
  });
}

type SavedSetup = Setup & { card: SavedCard };

async function fulfillOrder(
  orm: Orm,
  deps: Deps,
  found: OrderRow,
  setup: SavedSetup,
  now: Date,
): Promise<string[]> {
  const { id, accountId: orderingAccountId, status: statusBefore } = found;
  // Lock the account before its order, as erasing does.
  const owner = await findOrderAccount(orm, found);
  if (owner) await lockSubscription(orm, owner);
  const order = await lockOrder(orm, id);
  // The status must be unchanged: another host may have been faster.
  if (order.status !== statusBefore || order.subscriptionId) return [];
  if (orderingAccountId && !(await findAccount(orm, orderingAccountId)))
    return failOrphanedOrder(orm, order, setup, now);
  if (order.failure) return refuseOrder(orm, order, setup, now);
  const knownAccountId = await findOrderAccount(orm, order);
  if (await hasLiveSubscription(orm, knownAccountId)) return refuseLate(orm, deps, order, setup, now);
  if (order.trialHours > 0 && (await isSecondTrial(orm, order, knownAccountId, setup.card))) {
    await changeOrder(orm, order.id, { status: 'failed', failure: 'trial_used' });
    await forgetUnusedCustomer(orm, order, setup, now);
    return [];
  }
  if (
    order.status === 'incomplete' &&
    knownAccountId &&
    !orderingAccountId &&
    (await isOwned(orm, knownAccountId))
  ) {
    await holdOrder(orm, deps, order, now);
    return [];
  }
  const accountId = await ensureOrderAccount(orm, order, now);
  // While this order waited, another one may have created the account and started its subscription.
  if (await hasLiveSubscription(orm, accountId)) return refuseLate(orm, deps, order, setup, now);
  if (order.trialHours > 0) await takeTrial(orm, order, accountId, setup.card, now);
  const { customerId, card } = setup;
  const replaced = await findMethod(orm, accountId);
  await putMethod(orm, accountId, { provider: deps.payments.name, customerId, card }, now);
  if (replaced) await forgetUnusedCustomer(orm, { id: order.id, accountId }, replaced, now);
  const dedupeKey = `prefer-card:${order.id}`;
  await enqueueJob(orm, { kind: 'prefer_card', subject: order.id, dedupeKey, dueAt: now });
  const chargeKey = await startSubscription(orm, deps, order, accountId, now);
  return chargeKey ? [dedupeKey, chargeKey] : [dedupeKey];
}

/** The signed-in account, or else the one with this address. */
async function findOrderAccount(orm: Orm, { accountId, email }: OrderRow): Promise<string | null> {
  return accountId ?? (await findAccountByEmail(orm, email))?.id ?? null;
}

async function isOwned(orm: Orm, accountId: string): Promise<boolean> {
  const account = await findAccount(orm, accountId);
  return account !== null && isInUse(orm, account);
}

/** Whether the account has a running subscription; locks the account. */
async function hasLiveSubscription(orm: Orm, accountId: string | null): Promise<boolean> {
  return accountId !== null && isLive(await lockSubscription(orm, accountId));
}

/** The same account, created if there is none. */
async function ensureOrderAccount(
  orm: Orm,
  { accountId, email, locale, buyer }: OrderRow,
  now: Date,
): Promise<string> {
  return accountId ?? (await ensureAccount(orm, { email, locale, name: buyer.name }, now)).id;
}

/** One trial per person and per card. */
async function isSecondTrial(orm: Orm, { email }: OrderRow, accountId: string | null, card: SavedCard) {
  if (await hadTrial(orm, { email, accountId })) return true;
  return isOfferUsed(orm, 'card', hashFingerprint(card.fingerprint));
}

/**
 * If one person places two orders at the same moment, the second waits for the first and is rolled back, to be tried
 * again.
 */
async function takeTrial(orm: Orm, { email }: OrderRow, accountId: string, card: SavedCard, now: Date) {
  const isFirst =
    (await markTrial(orm, { email, accountId }, now)) &&
    (await markOfferUsed(orm, 'card', hashFingerprint(card.fingerprint), now));
  if (!isFirst) throw new Error('a concurrent order used the trial');
  // The address may have changed since the order.
  const account = await findAccount(orm, accountId);
  if (account) await markTrial(orm, { email: account.email, accountId }, now);
}

/** Returns the key of the charge to be made now; null for a trial. */
async function startSubscription(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  accountId: string,
  now: Date,
): Promise<string | null> {
  const hasTrial = order.trialHours > 0;
  const trialEnd = hasTrial ? addHours(now, order.trialHours) : null;
  const previous = await findSubscription(orm, accountId);
  if (previous?.status === 'incomplete') await endUnpaid(orm, accountId, previous.id);
  const subscription = await putSubscription(orm, {
    accountId,
    id: randomUUID(),
    orderId: order.id,
    plan: order.plan,
    priceCents: order.priceCents,
    status: hasTrial ? 'trialing' : 'incomplete',
    accessUntil: trialEnd ?? now,
    startedAt: now,
    trialEnd,
  });
  await changeOrder(orm, order.id, {
    subscriptionId: subscription.id,
    ownerId: accountId,
    // Until its first charge is decided, a confirmed order is like any other.
    ...(hasTrial ? { status: 'complete', completedAt: now } : { status: 'incomplete' }),
  });
  const chargeKey = await enqueueCharge(orm, subscription, { planned: 0 }, trialEnd ?? now);
  if (!trialEnd) return chargeKey;
  await enqueueJob(orm, {
    kind: 'trial_reminder',
    subject: accountId,
    subscriptionId: subscription.id,
    period: subscription.nextPeriod,
    dedupeKey: `trial-reminder:${subscription.id}`,
    dueAt: trialReminderAt(now, trialEnd),
  });
  await confirmCompleted(orm, deps, { ...order, status: 'complete', completedAt: now }, subscription, now);
  return null;
}

/** A charge in progress may still succeed, so it and its order are left to finish. Any other is never made. */
async function endUnpaid(orm: Orm, accountId: string, subscriptionId: string): Promise<void> {
  if (await hasPending(orm, subscriptionId)) return;
  await closeOpenPayments(orm, subscriptionId, 'voided');
  await failReplacedOrder(orm, { accountId, subscriptionId });
}

async function refuseLate(orm: Orm, deps: Deps, order: OrderRow, setup: Setup, now: Date): Promise<string[]> {
  const refused = { ...order, failure: 'already_running' };
  await notifyOwner(orm, deps, refused, now);
  return refuseOrder(orm, refused, setup, now);
}

async function refuseOrder(orm: Orm, order: OrderRow, setup: Setup, now: Date): Promise<string[]> {
  await changeOrder(orm, order.id, { status: 'refused', failure: order.failure, completedAt: now });
  await forgetUnusedCustomer(orm, order, setup, now);
  return [];
}

/** The account was erased before the card was entered. */
async function failOrphanedOrder(orm: Orm, order: OrderRow, setup: Setup, now: Date): Promise<string[]> {
  await changeOrder(orm, order.id, { status: 'failed', failure: ACCOUNT_GONE });
  await forgetUnusedCustomer(orm, { ...order, accountId: null }, setup, now);
  return [];
}

/** An unused card is not kept: the provider forgets its customer, unless the account pays as that customer. */
async function forgetUnusedCustomer(
  orm: Orm,
  { accountId, id }: Pick<OrderRow, 'accountId' | 'id'>,
  { customerId }: { customerId: string },
  now: Date,
): Promise<void> {
  const current = accountId ? await findMethod(orm, accountId) : null;
  if (current?.customerId === customerId) return;
  const dedupeKey = `forget:${customerId}:${id}`;
  await enqueueJob(orm, { kind: 'forget_customer', subject: customerId, dedupeKey, dueAt: now });
}
