import { randomUUID } from 'node:crypto';
import { findAccount, findAccountByEmail } from '#host/accounts/accounts.store';
import { ensureAccount } from '#host/accounts/onboarding';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { findMethod, hashFingerprint, putMethod } from '#host/payments/payments.store';
import type { SavedCard, Setup } from '#host/payments/provider';
import { addHours, trialReminderAt } from './calendar';
import { confirmTrial } from './confirmation';
import { holdOrder, isInUse } from './held-orders';
import { enqueueCharge, enqueueJob } from './jobs';
import { notifyOwner } from './orders';
import {
  ACCOUNT_GONE,
  changeOrder,
  findOrder,
  lockOrder,
  markUsed,
  type OrderRow,
  wasUsed,
} from './orders.store';
import { isLive, lockSubscription, putSubscription } from './subscriptions.store';
import { hadTrial, markTrial } from './trials';

/**
 * Looks how the card page of an order ended and carries the order out, once, however often and from wherever it is
 * called: webhook, the page after paying, or the order's expiry. One with the address of an account in use is held until
 * its owner confirms it. Answers the key of a charge that is to be made now.
 */
export async function completeOrder(deps: Deps, orderId: string, now: Date): Promise<string | null> {
  return complete(deps, orderId, 'incomplete', now);
}

/** Carries an order out that was held, once, because the owner of its address wants it. */
export async function completeHeldOrder(deps: Deps, orderId: string, now: Date): Promise<string | null> {
  return complete(deps, orderId, 'unconfirmed', now);
}

async function complete(
  deps: Deps,
  orderId: string,
  from: 'incomplete' | 'unconfirmed',
  now: Date,
): Promise<string | null> {
  const { orm } = deps.db;
  const order = await findOrder(orm, orderId);
  if (order?.status !== from || !order.setupId || order.subscriptionId) return null;
  const setup = await deps.payments.getSetup(order.setupId);
  if (setup.state === 'expired') await changeOrder(orm, orderId, { status: 'failed', failure: 'expired' });
  if (setup.state !== 'succeeded' || !setup.card) return null;
  const { card, customerId } = setup;
  const begun = await orm.transaction((transaction) =>
    fulfillOrder(transaction, deps, order, { ...setup, card }, now),
  );
  if (!begun) return null;
  await deps.payments.preferCard(customerId, card.methodId);
  return begun.chargeKey;
}

type SavedSetup = Setup & { card: SavedCard };

/** A subscription that an order has begun, and the charge that is to be made now; none in a trial. */
interface Begun {
  chargeKey: string | null;
}

async function fulfillOrder(
  orm: Orm,
  deps: Deps,
  found: OrderRow,
  setup: SavedSetup,
  now: Date,
): Promise<Begun | null> {
  const { id, accountId: ordering, status: before } = found;
  // The account before its order, as whoever erases it does.
  const owner = await knownAccountOf(orm, found);
  if (owner) await lockSubscription(orm, owner);
  const order = await lockOrder(orm, id);
  // As it was when it was found: another host may have been faster.
  if (order.status !== before || order.subscriptionId) return null;
  if (ordering && !(await findAccount(orm, ordering))) return endOrphan(orm, order, setup, now);
  if (order.failure) return refuse(orm, order, setup, now);
  const known = await knownAccountOf(orm, order);
  if (await isTaken(orm, known)) return refuseLate(orm, deps, order, setup, now);
  if (order.trialHours > 0 && (await isSecondTrial(orm, order, known, setup.card))) {
    await changeOrder(orm, order.id, { status: 'failed', failure: 'trial_used' });
    await forget(orm, order, setup, now);
    return null;
  }
  if (order.status === 'incomplete' && known && !ordering && (await isOwned(orm, known))) {
    await holdOrder(orm, deps, order, now);
    return null;
  }
  const accountId = await accountOf(orm, order, now);
  // Another order may have made the account, and begun its subscription, while this one waited.
  if (await isTaken(orm, accountId)) return refuseLate(orm, deps, order, setup, now);
  if (order.trialHours > 0) await takeTrial(orm, order, accountId, setup.card, now);
  const { customerId, card } = setup;
  const replaced = await findMethod(orm, accountId);
  await putMethod(orm, accountId, { provider: deps.payments.name, customerId, card }, now);
  if (replaced) await forget(orm, { id: order.id, accountId }, replaced, now);
  return begin(orm, deps, order, accountId, now);
}

/** Whoever is signed in, or else the account of the address. */
async function knownAccountOf(orm: Orm, { accountId, email }: OrderRow): Promise<string | null> {
  return accountId ?? (await findAccountByEmail(orm, email))?.id ?? null;
}

async function isOwned(orm: Orm, accountId: string): Promise<boolean> {
  const account = await findAccount(orm, accountId);
  return account !== null && isInUse(orm, account);
}

/** Whether a subscription runs; locks the account. */
async function isTaken(orm: Orm, accountId: string | null): Promise<boolean> {
  return accountId !== null && isLive(await lockSubscription(orm, accountId));
}

/** The same, made when there is none. */
async function accountOf(orm: Orm, { accountId, email, locale }: OrderRow, now: Date): Promise<string> {
  return accountId ?? (await ensureAccount(orm, { email, locale }, now)).id;
}

/** One trial per person and per card. */
async function isSecondTrial(orm: Orm, { email }: OrderRow, accountId: string | null, card: SavedCard) {
  if (await hadTrial(orm, { email, accountId })) return true;
  return wasUsed(orm, 'card', hashFingerprint(card.fingerprint));
}

/** Two orders of one person at the same moment: the second waits for the first and is undone, to be looked at anew. */
async function takeTrial(orm: Orm, { email }: OrderRow, accountId: string, card: SavedCard, now: Date) {
  const isFirst =
    (await markTrial(orm, { email, accountId }, now)) &&
    (await markUsed(orm, 'card', hashFingerprint(card.fingerprint), now));
  if (!isFirst) throw new Error('the trial was taken a moment ago');
  // The address may have been changed since the order.
  const account = await findAccount(orm, accountId);
  if (account) await markTrial(orm, { email: account.email, accountId }, now);
}

async function begin(orm: Orm, deps: Deps, order: OrderRow, accountId: string, now: Date): Promise<Begun> {
  const hasTrial = order.trialHours > 0;
  const trialEnd = hasTrial ? addHours(now, order.trialHours) : null;
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
    ...(hasTrial && { status: 'complete', completedAt: now }),
  });
  const chargeKey = await enqueueCharge(orm, subscription, { planned: 0 }, trialEnd ?? now);
  if (!trialEnd) return { chargeKey };
  await enqueueJob(orm, {
    kind: 'trial_reminder',
    subject: accountId,
    subscriptionId: subscription.id,
    period: subscription.nextPeriod,
    dedupeKey: `trial-reminder:${subscription.id}`,
    dueAt: trialReminderAt(now, trialEnd),
  });
  await confirmTrial(orm, deps, { ...order, status: 'complete', completedAt: now }, accountId, now);
  return { chargeKey: null };
}

async function refuseLate(orm: Orm, deps: Deps, order: OrderRow, setup: Setup, now: Date): Promise<null> {
  const refused = { ...order, failure: 'already_running' };
  await notifyOwner(orm, deps, refused, now);
  return refuse(orm, refused, setup, now);
}

async function refuse(orm: Orm, order: OrderRow, setup: Setup, now: Date): Promise<null> {
  await changeOrder(orm, order.id, { status: 'refused', failure: order.failure, completedAt: now });
  await forget(orm, order, setup, now);
  return null;
}

/** Whoever ordered erased the account before the card was entered. */
async function endOrphan(orm: Orm, order: OrderRow, setup: Setup, now: Date): Promise<null> {
  await changeOrder(orm, order.id, { status: 'failed', failure: ACCOUNT_GONE });
  await forget(orm, { ...order, accountId: null }, setup, now);
  return null;
}

/** A card that nothing is paid with is not kept: only the provider's customer that the account pays as stays. */
async function forget(
  orm: Orm,
  { accountId, id }: Pick<OrderRow, 'accountId' | 'id'>,
  { customerId }: { customerId: string },
  now: Date,
): Promise<void> {
  const kept = accountId ? await findMethod(orm, accountId) : null;
  if (kept?.customerId === customerId) return;
  const dedupeKey = `forget:${customerId}:${id}`;
  await enqueueJob(orm, { kind: 'forget_customer', subject: customerId, dedupeKey, dueAt: now });
}
