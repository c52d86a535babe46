import { emailKey, MAILS_PER_MAILBOX } from '#host/accounts/account-limits';
import { mailOnboarding } from '#host/accounts/onboarding';
import {
  type AccountRow,
  changeAccount,
  findAccount,
  findAccountByEmail,
  hasWayIn,
} from '#host/accounts/store';
import { hashVisitor } from '#host/codes/drafts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { tryConsumeRateLimit } from '#host/http/rate-limit';
import { mailTo } from '#host/subscriptions/billing-mails';
import { addDays, addHours } from '#host/subscriptions/calendar';
import { isLive, lockSubscription, type SubscriptionRow } from '#host/subscriptions/contract/store';
import { applyNewEmail } from '#host/subscriptions/customers';
import { ORDER_MAILS_PER_EMAIL } from '#host/subscriptions/limits';
import { resendConfirmation } from './confirmation';
import { CONFIRM_DAYS, mailHeldOrder } from './held';
import { notifyOwner } from './place';
import {
  changeOrder,
  clearOfferUse,
  countOrdersOf,
  getOrder,
  lockOrder,
  type OrderRow,
  trialDigest,
} from './store';

/** How long the page of an order can send its mails again. */
const RESEND_WINDOW_HOURS = 24;

/** Orders refused or held because of another person's account are treated like completed ones. */
export function canResend({ status, completedAt, confirmBy, accountId }: OrderRow, now: Date): boolean {
  const heldAt = status === 'unconfirmed' && confirmBy ? addDays(confirmBy, -CONFIRM_DAYS) : null;
  const isDone = status === 'complete' || (status === 'refused' && accountId === null);
  const doneAt = isDone ? completedAt : heldAt;
  return doneAt !== null && addHours(doneAt, RESEND_WINDOW_HOURS) > now;
}

/** A signed-in buyer corrects the address in the account; anyone else, in the browser that placed the order. */
export function canCorrect(order: OrderRow, visitor: string | undefined, now: Date): boolean {
  if (!visitor || order.accountId !== null) return false;
  return order.visitorHash === hashVisitor(visitor) && canResend(order, now);
}

/** Resends the mails of the order, with the link as long as the account is not set up. */
export async function resendOrderMail(deps: Deps, id: string, now: Date): Promise<void> {
  await deps.db.orm.transaction(async (transaction) => {
    const { order, subscription, account } = await lockOrderAndAccount(transaction, id);
    if (order.status === 'refused') return notifyOwner(transaction, deps, order, now);
    if (order.status === 'unconfirmed') return mailHeldOrder(transaction, deps, order, now);
    if (!account || !subscription) return;
    await resendMails(transaction, deps, { order, subscription, account }, now);
  });
}

/** Changes the address of an order and of the account it created; see `correctOrderEmail` of the contract. */
export async function correctOrderEmail(deps: Deps, id: string, email: string, now: Date): Promise<void> {
  await deps.db.orm.transaction(async (transaction) => {
    const { order, subscription, account } = await lockOrderAndAccount(transaction, id);
    // A refused order must look like any other, including the address that its page shows.
    if (order.status === 'refused') return changeOrder(transaction, order.id, { email });
    if (order.status === 'unconfirmed') return moveHeldOrder(transaction, deps, order, email, now);
    if (!account || !subscription || !(await isUnclaimed(transaction, account, order))) return;
    if (account.email.toLowerCase() === email.toLowerCase()) {
      return resendMails(transaction, deps, { order, subscription, account }, now);
    }
    if (!(await mayMail(transaction, email, now))) return;
    const { reference, locale } = order;
    const mail = { values: () => ({ reference }), dedupeKey: `order-moved:${order.id}:${now.toISOString()}` };
    if (await findAccountByEmail(transaction, email)) {
      const template = 'billing-mail.order_address_taken' as const;
      return mailTo(transaction, { email, locale }, { ...mail, template }, now);
    }
    await changeAccount(transaction, account.id, { email });
    await changeOrder(transaction, order.id, { email });
    await applyNewEmail(transaction, account, email, now);
    await releaseTrial(transaction, order, email);
    await mailTo(transaction, account, { ...mail, template: 'billing-mail.order_moved' }, now);
    const moved = { order: { ...order, email }, subscription, account: { ...account, email } };
    await resendMails(transaction, deps, moved, now);
  });
}

/** The owner of the new address is asked instead, whether or not it has an account. */
async function moveHeldOrder(orm: Orm, deps: Deps, order: OrderRow, email: string, now: Date): Promise<void> {
  if (!(await mayMail(orm, email, now))) return;
  await changeOrder(orm, order.id, { email });
  await mailHeldOrder(orm, deps, { ...order, email }, now);
}

async function mayMail(orm: Orm, email: string, now: Date): Promise<boolean> {
  const key = emailKey(email);
  const isWithinLimit = await tryConsumeRateLimit(orm, ORDER_MAILS_PER_EMAIL, key, now);
  return isWithinLimit && tryConsumeRateLimit(orm, MAILS_PER_MAILBOX, key, now);
}

interface FulfilledOrder {
  order: OrderRow;
  subscription: SubscriptionRow;
  account: AccountRow;
}

/** The order with its contract and account, if they still belong together; the account is locked first, as always. */
async function lockOrderAndAccount(orm: Orm, id: string) {
  const { ownerId } = await getOrder(orm, id);
  const found = ownerId ? await lockSubscription(orm, ownerId) : null;
  const order = await lockOrder(orm, id);
  const isCurrent = found !== null && found.id === order.subscriptionId && isLive(found);
  const account = isCurrent && ownerId ? await findAccount(orm, ownerId) : null;
  return { order, subscription: isCurrent ? found : null, account };
}

async function resendMails(
  orm: Orm,
  deps: Deps,
  { order, subscription, account }: FulfilledOrder,
  now: Date,
): Promise<void> {
  await resendConfirmation(orm, deps, order, subscription, now);
  if (order.accountId !== null || (await hasWayIn(orm, account))) return;
  const { email, locale, draftId } = order;
  await mailOnboarding(orm, deps, { accountId: account.id, email, locale, draftId }, now);
}

/** An account that this very order created and that nobody has ever signed in to. */
async function isUnclaimed(orm: Orm, account: AccountRow, order: OrderRow): Promise<boolean> {
  if (account.lastLoginAt || account.createdAt < order.createdAt) return false;
  return !(await hasWayIn(orm, account)) && (await countOrdersOf(orm, account.id)) === 1;
}

/** The owner of the mistyped address has not had a trial. */
async function releaseTrial(orm: Orm, { email, trialHours }: OrderRow, newEmail: string): Promise<void> {
  const digest = trialDigest(email);
  if (trialHours > 0 && digest !== trialDigest(newEmail)) await clearOfferUse(orm, 'email', digest);
}
