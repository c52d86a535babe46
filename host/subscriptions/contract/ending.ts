import type { Locale } from '#contract/locales';
import { findAccount } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { dateTimeText, fillText, moneyText, planText } from '#host/invoices/wording';
import { enqueueJob } from '#host/jobs/queue';
import { BILLING_TEXTS } from '#host/mail/texts';
import { closeOpenPayments, dropMethod, findChargingCents } from '#host/payments/store';
import { mailOwner } from '#host/subscriptions/billing-mails';
import { endHeldOrder } from '#host/subscriptions/order/held';
import { ACCOUNT_GONE, changeOrder, failOpenOrders, listHeldOrders } from '#host/subscriptions/order/store';
import { changeSubscription, isOngoing, lockSubscription, type SubscriptionRow } from './store';

/** End of what is paid for: of the period, or of the trial. */
export function paidUntil(subscription: SubscriptionRow): Date {
  return subscription.periodEnd ?? subscription.trialEnd ?? subscription.accessUntil;
}

/** Ends a contract: no charges after this, no access after `at`. A charge in progress is refunded when it succeeds. */
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

/** Ends a contract because its owner declared so. If its first payment has not arrived, the order fails with it. */
export async function endDeclared(
  orm: Orm,
  subscription: SubscriptionRow,
  at: Date,
  now: Date,
): Promise<SubscriptionRow> {
  const { status, orderId } = subscription;
  if (status === 'incomplete' && orderId) {
    await changeOrder(orm, orderId, { status: 'failed', failure: 'canceled' });
  }
  return endContract(orm, subscription, { status: 'canceled', at }, now);
}

/** What a mail about the end says of charges: none follows, or one in progress is refunded if it succeeds. */
export async function describeCharges(
  orm: Orm,
  { id }: SubscriptionRow,
): Promise<(locale: Locale) => string> {
  const cents = await findChargingCents(orm, id);
  return (locale) => {
    const { no_more_charges, charge_in_progress } = BILLING_TEXTS[locale];
    if (cents === null) return no_more_charges;
    return fillText(charge_in_progress, { amount: moneyText(cents, locale) });
  };
}

/** Ends a cancelled contract at the end of its period, or now if its first payment has not arrived. */
export async function endAtPeriodEnd(
  orm: Orm,
  deps: Pick<Deps, 'settings'>,
  subscription: SubscriptionRow,
  now: Date,
): Promise<SubscriptionRow> {
  const at = subscription.status === 'incomplete' ? now : paidUntil(subscription);
  const charges = await describeCharges(orm, subscription);
  const ended = await endDeclared(orm, subscription, at, now);
  const mail = {
    template: 'billing-mail.contract_ended' as const,
    values: (locale: Locale, timeZone: string) => ({
      plan: planText(subscription.plan, locale),
      endAt: dateTimeText(at, locale, timeZone),
      charges: charges(locale),
      actionUrl: `${deps.settings.publicUrl}/user/dashboard`,
    }),
    dedupeKey: `contract-ended:${subscription.id}`,
  };
  await mailOwner(orm, subscription.accountId, mail, now);
  return ended;
}

/** When an account is erased: no more orders or charges, and the provider forgets the card. Invoices stay. */
export async function endWithAccount(orm: Orm, accountId: string, now: Date): Promise<void> {
  const subscription = await lockSubscription(orm, accountId);
  if (isOngoing(subscription)) {
    await endContract(orm, subscription, { status: 'canceled', at: now }, now);
  }
  const account = await findAccount(orm, accountId);
  const held = account ? await listHeldOrders(orm, account.email) : [];
  for (const order of held) await endHeldOrder(orm, order, ACCOUNT_GONE, now);
  const customerIds = new Set(await failOpenOrders(orm, accountId));
  const method = await dropMethod(orm, accountId);
  if (method) customerIds.add(method.customerId);
  for (const customerId of customerIds) {
    const dedupeKey = `forget:${customerId}:${now.toISOString()}`;
    await enqueueJob(orm, { kind: 'forget_customer', subject: customerId, dedupeKey, dueAt: now });
  }
}

/** What a running contract charges next, and when; or that it charges nothing more once it is cancelled. */
export function nextChargeText(subscription: SubscriptionRow, locale: Locale, timeZone: string): string {
  const { first, next, none } = BILLING_TEXTS[locale].charges;
  const { status, cancelAtPeriodEnd, priceCents, nextPriceCents } = subscription;
  if (cancelAtPeriodEnd) return none;
  return fillText(status === 'trialing' ? first : next, {
    amount: moneyText(nextPriceCents ?? priceCents, locale),
    date: dateTimeText(paidUntil(subscription), locale, timeZone),
  });
}
