import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import type { SavedCard } from '#host/http/payment-provider';
import type { Job } from '#host/jobs/queue';
import { findMethod, findMethodOfCustomer, isUnchanged, putMethod } from '#host/payments/store';
import {
  findSubscription,
  isOngoing,
  lockSubscription,
  type SubscriptionRow,
} from '#host/subscriptions/contract/store';
import { enqueueCharge, isCurrentJob, isJobPending } from '#host/subscriptions/jobs';

type CardSyncDeps = Pick<Deps, 'db' | 'payments'>;
type OnChanged = (orm: Orm, subscription: SubscriptionRow | null, card: SavedCard) => Promise<string[]>;

/** Another card, or one renewed by its bank: an overdue charge is retried with it at once. */
export async function syncCard(deps: CardSyncDeps, customerId: string, now: Date): Promise<string[]> {
  return storeCard(deps, customerId, now, async (orm, subscription, card) => {
    if (subscription?.status !== 'due_date') return [];
    return [await enqueueCharge(orm, subscription, { card }, now)];
  });
}

/** Before a charge: in case the webhook about another card was lost. */
export async function syncChargedCard(deps: CardSyncDeps, job: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  const subscription = await findSubscription(orm, job.subject);
  if (!isOngoing(subscription) || !isCurrentJob(job, subscription)) return;
  const method = await findMethod(orm, job.subject);
  if (method) await storeCard(deps, method.customerId, now, async () => []);
}

/** Stores the card that the provider has for a customer now, if it is not the stored one. */
async function storeCard(
  deps: CardSyncDeps,
  customerId: string,
  now: Date,
  onChanged: OnChanged,
): Promise<string[]> {
  const { orm } = deps.db;
  const method = await findMethodOfCustomer(orm, customerId);
  // The provider does not know yet that the card of the order is the one to charge.
  if (!method || (await isOrderedCardUnknown(orm, method.accountId))) return [];
  const card = await deps.payments.findCard(customerId);
  if (!card || isUnchanged(method, card)) return [];
  const jobKeys = await orm.transaction(async (transaction) => {
    const subscription = await lockSubscription(transaction, method.accountId);
    const current = await findMethod(transaction, method.accountId);
    const isSame =
      current?.customerId === customerId &&
      current.methodId === method.methodId &&
      current.updatedAt.getTime() === method.updatedAt.getTime();
    if (!isSame) return null;
    await putMethod(transaction, method.accountId, { provider: deps.payments.name, customerId, card }, now);
    return onChanged(transaction, subscription, card);
  });
  // Another card was stored in the meantime: the one just read may be older.
  return jobKeys ?? storeCard(deps, customerId, now, onChanged);
}

async function isOrderedCardUnknown(orm: Orm, accountId: string): Promise<boolean> {
  const subscription = await findSubscription(orm, accountId);
  return subscription !== null && isJobPending(orm, `prefer-card:${subscription.orderId}`);
}
