import { eq } from 'drizzle-orm';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { subscriptions } from '#host/db/subscriptions.tables';
import { TRANSITIONS } from '#host/subscriptions/states';

export type SubscriptionRow = typeof subscriptions.$inferSelect;

/** Statuses of a running contract. */
const LIVE: ReadonlySet<SubscriptionRow['status']> = new Set(['trialing', 'active', 'due_date']);

/** Whether the contract is running: ordered, not ended. Access is a separate question. */
export function isLive(subscription: SubscriptionRow | null): boolean {
  return subscription !== null && LIVE.has(subscription.status);
}

/** Whether the contract can be charged and ended: it is running, or waits for its first payment. */
export function isOngoing(subscription: SubscriptionRow | null): subscription is SubscriptionRow {
  return subscription !== null && TRANSITIONS.subscriptions[subscription.status].length > 0;
}

export async function findSubscription(orm: Orm, accountId: string): Promise<SubscriptionRow | null> {
  const [row] = await orm.select().from(subscriptions).where(eq(subscriptions.accountId, accountId));
  return row ?? null;
}

/** A contract by its own id, if it is its account's current or last one. */
export async function findContract(orm: Orm, id: string): Promise<SubscriptionRow | null> {
  const [row] = await orm.select().from(subscriptions).where(eq(subscriptions.id, id));
  return row ?? null;
}

/**
 * The contract of an account, locked until the transaction ends. The account's row is always locked first: erasing uses
 * the same order, so that the two cannot deadlock.
 */
export async function lockSubscription(orm: Orm, accountId: string): Promise<SubscriptionRow | null> {
  await orm.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId)).for('update');
  const [row] = await orm
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.accountId, accountId))
    .for('update');
  return row ?? null;
}

type NewContract = Partial<SubscriptionRow> &
  Pick<SubscriptionRow, 'accountId' | 'id' | 'plan' | 'status' | 'accessUntil' | 'orderId' | 'priceCents'>;

/** Starts a contract in place of the previous one, whose dates are all cleared. */
export async function putSubscription(orm: Orm, contract: NewContract): Promise<SubscriptionRow> {
  const values = {
    nextPlan: null,
    nextPriceCents: null,
    startedAt: null,
    trialEnd: null,
    anchor: null,
    months: 0,
    periodStart: null,
    periodEnd: null,
    nextPeriod: 0,
    cancelAtPeriodEnd: false,
    endedAt: null,
    ...contract,
  };
  const [row] = await orm
    .insert(subscriptions)
    .values(values)
    .onConflictDoUpdate({ target: subscriptions.accountId, set: values })
    .returning();
  return row as SubscriptionRow;
}

export async function changeSubscription(
  orm: Orm,
  subscription: SubscriptionRow,
  changes: Partial<SubscriptionRow>,
): Promise<SubscriptionRow> {
  await orm.update(subscriptions).set(changes).where(eq(subscriptions.accountId, subscription.accountId));
  return { ...subscription, ...changes };
}
