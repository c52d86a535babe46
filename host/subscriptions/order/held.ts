import type { HeldOrder } from '#contract/held-orders';
import type { Locale } from '#contract/locales';
import { emailKey } from '#host/accounts/account-limits';
import { hashToken } from '#host/accounts/mail-tokens';
import { type AccountRow, findAccountByEmail, hasWayIn } from '#host/accounts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { tryConsumeRateLimit } from '#host/http/rate-limit';
import { dateTimeText, planText, priceText } from '#host/invoices/wording';
import { enqueueJob } from '#host/jobs/queue';
import { mailTo } from '#host/subscriptions/billing-mails';
import { addDays } from '#host/subscriptions/calendar';
import { REFUSED_ORDERS_PER_EMAIL } from '#host/subscriptions/limits';
import { ACCOUNT_GONE, changeOrder, countContractsOf, lockOrder, type OrderRow } from './store';

/** How long the owner of the address may confirm an order: as long as a link to set up an account is valid. */
export const CONFIRM_DAYS = 7;

/** Whether an account is in use: it has a way in or had a contract. One left over from a refused card is not. */
export async function isInUse(orm: Orm, account: AccountRow): Promise<boolean> {
  return (await hasWayIn(orm, account)) || (await countContractsOf(orm, account.id)) > 0;
}

/** Holds an order until the owner of its address, who is asked by mail, confirms it. */
export async function holdOrder(orm: Orm, deps: Deps, order: OrderRow, now: Date): Promise<void> {
  const confirmBy = addDays(now, CONFIRM_DAYS);
  const held = { ...order, status: 'unconfirmed' as const, confirmBy };
  await changeOrder(orm, order.id, { status: held.status, confirmBy });
  const dedupeKey = `order-unconfirmed:${order.id}`;
  await enqueueJob(orm, { kind: 'confirmation_expiry', subject: order.id, dedupeKey, dueAt: confirmBy });
  // Even without the mail, the signed-in owner sees the order, and its page can send the mail.
  if (await tryConsumeRateLimit(orm, REFUSED_ORDERS_PER_EMAIL, emailKey(order.email), now)) {
    await mailHeldOrder(orm, deps, held, now);
  }
}

/**
 * Mails a fresh link to confirm an order; the previous one ends. The mail contains nothing that the buyer typed, as it
 * goes to the owner of the address.
 */
export async function mailHeldOrder(orm: Orm, deps: Deps, order: OrderRow, now: Date): Promise<void> {
  const { id, email, plan, priceCents, trialHours, createdAt, confirmBy } = order;
  const token = Buffer.from(deps.random(32)).toString('base64url');
  await changeOrder(orm, id, { tokenHash: hashToken(token) });
  const account = await findAccountByEmail(orm, email);
  const values = (locale: Locale, timeZone: string) => ({
    plan: planText(plan, locale),
    price: priceText(plan, priceCents, locale),
    placedAt: dateTimeText(createdAt, locale, timeZone),
    confirmBy: dateTimeText(confirmBy ?? now, locale, timeZone),
    actionUrl: `${deps.settings.publicUrl}/confirm-order?token=${token}`,
  });
  const template = trialHours > 0 ? 'billing-mail.order_held_trial' : 'billing-mail.order_held';
  const recipient = { email, locale: account?.locale ?? order.locale, timeZone: account?.timeZone ?? null };
  const dedupeKey = `order-held:${hashToken(token)}`;
  const usefulUntil = confirmBy ?? undefined;
  await mailTo(orm, recipient, { template, values, dedupeKey, ...(usefulUntil && { usefulUntil }) }, now);
}

/** Ends an order that the owner of its address rejected or did not confirm in time; the provider forgets its card. */
export async function discardOrder(
  { db }: Pick<Deps, 'db'>,
  id: string,
  failure: 'discarded' | 'unconfirmed',
  now: Date,
): Promise<void> {
  await db.orm.transaction(async (transaction) => {
    const order = await lockOrder(transaction, id);
    if (order.status !== 'unconfirmed') return;
    await endHeldOrder(transaction, order, failure, now);
  });
}

export async function endHeldOrder(
  orm: Orm,
  { id, customerId }: Pick<OrderRow, 'id' | 'customerId'>,
  failure: string,
  now: Date,
): Promise<void> {
  await changeOrder(orm, id, { status: 'failed', failure });
  if (!customerId) return;
  const dedupeKey = `forget:${customerId}:${id}`;
  await enqueueJob(orm, { kind: 'forget_customer', subject: customerId, dedupeKey, dueAt: now });
}

/** Whether an order was held and then confirmed. */
export function wasConfirmed({ failure }: Pick<OrderRow, 'failure'>): boolean {
  return failure !== 'discarded' && failure !== 'unconfirmed' && failure !== ACCOUNT_GONE;
}

export function viewHeldOrder({
  id,
  plan,
  priceCents,
  trialHours,
  createdAt,
  confirmBy,
}: OrderRow): HeldOrder {
  return {
    id,
    plan,
    amountCents: priceCents,
    trialHours,
    placedAt: createdAt.toISOString(),
    confirmBy: (confirmBy ?? createdAt).toISOString(),
  };
}
