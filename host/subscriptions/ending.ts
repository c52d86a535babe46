import { findAccount } from '#host/accounts/accounts.store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { momentText, planText } from '#host/invoices/wording';
import { closeOpenPayments, dropMethod } from '#host/payments/payments.store';
import { mailOwner } from './billing-mails';
import { endHeldOrder } from './held-orders';
import { enqueueJob } from './jobs';
import { ACCOUNT_GONE, failOpenOrders, listHeldOrders } from './orders.store';
import { changeSubscription, isLive, lockSubscription, type SubscriptionRow } from './subscriptions.store';

/** End of what was paid for: the end of the period, or of the trial. */
export function paidUntil(subscription: SubscriptionRow): Date {
  return subscription.periodEnd ?? subscription.trialEnd ?? subscription.accessUntil;
}

/** Ends a contract: no charge after this, and no access after `at`. What is on its way is paid back when it arrives. */
export async function endContract(
  orm: Orm,
  subscription: SubscriptionRow,
  { status, at }: { status: 'canceled' | 'expired'; at: Date },
  now: Date,
): Promise<SubscriptionRow> {
  await closeOpenPayments(orm, subscription.id, status === 'expired' ? 'uncollectible' : 'voided');
  return changeSubscription(orm, subscription, {
    status,
    endedAt: now,
    accessUntil: at < subscription.accessUntil ? at : subscription.accessUntil,
    cancelAtPeriodEnd: false,
    nextPlan: null,
    nextPriceCents: null,
  });
}

/** At the end of a period that was cancelled before. */
export async function endAtPeriodEnd(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  const at = paidUntil(subscription);
  const ended = await endContract(orm, subscription, { status: 'canceled', at }, now);
  const mail = {
    template: 'billing-mail.contract_ended' as const,
    values: (locale: Parameters<typeof planText>[1]) => ({
      plan: planText(subscription.plan, locale),
      endAt: momentText(at, locale),
      actionUrl: `${deps.settings.publicUrl}/user/dashboard`,
    }),
    dedupeKey: `contract-ended:${subscription.id}`,
  };
  await mailOwner(orm, subscription.accountId, mail, now);
  return ended;
}

/** When an account is erased: nothing more is ordered or charged, and the provider forgets the card. Invoices stay. */
export async function endWithAccount(orm: Orm, accountId: string, now: Date): Promise<void> {
  const subscription = await lockSubscription(orm, accountId);
  if (subscription && (isLive(subscription) || subscription.status === 'incomplete')) {
    await endContract(orm, subscription, { status: 'canceled', at: now }, now);
  }
  const account = await findAccount(orm, accountId);
  const held = account ? await listHeldOrders(orm, account.email) : [];
  for (const order of held) await endHeldOrder(orm, order, ACCOUNT_GONE, now);
  const customers = new Set(await failOpenOrders(orm, accountId));
  const method = await dropMethod(orm, accountId);
  if (method) customers.add(method.customerId);
  for (const customerId of customers) {
    const dedupeKey = `forget:${customerId}:${now.toISOString()}`;
    await enqueueJob(orm, { kind: 'forget_customer', subject: customerId, dedupeKey, dueAt: now });
  }
}
