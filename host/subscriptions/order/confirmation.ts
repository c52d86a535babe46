import { isDeepStrictEqual } from 'node:util';
import { LOCALES, type Locale } from '#contract/locales';
import { createOnboarding } from '#host/accounts/onboarding';
import { findAccount } from '#host/accounts/store';
import { insertAddress, listAddresses, moveDefault, presentAddress } from '#host/addresses/store';
import { createFromDraft } from '#host/codes/code/create';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { dateTimeText, fillText, lastDayText, moneyText, planText, priceText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { mailTo } from '#host/subscriptions/billing-mails';
import { addHours, statutoryWithdrawalEnd } from '#host/subscriptions/calendar';
import { nextChargeText } from '#host/subscriptions/contract/ending';
import type { SubscriptionRow } from '#host/subscriptions/contract/store';
import { changeOrder, getOrder, isOfferUsedByMailbox, type OrderRow } from './store';
import { confirmationText } from './terms';

/** Confirms an order whose first period was paid at once. */
export async function confirmPaidOrder(
  orm: Orm,
  deps: Deps,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const order = await getOrder(orm, subscription.orderId);
  await changeOrder(orm, order.id, { status: 'complete', completedAt: now });
  await confirmCompleted(orm, deps, { ...order, status: 'complete', completedAt: now }, subscription, now);
}

/** Mails the confirmation of an order again, to the order's current address. */
export async function resendConfirmation(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const dedupeKey = `order-again:${order.id}:${now.toISOString()}`;
  await mailConfirmation(orm, deps, order, subscription, dedupeKey, now);
}

/** The confirmation is sent before the service begins (consumer code L221-13); access follows. */
export async function confirmCompleted(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  subscription: SubscriptionRow,
  now: Date,
): Promise<void> {
  const { accountId } = subscription;
  await mailConfirmation(orm, deps, order, subscription, `order:${order.id}`, now);
  // The account may have been erased before the payment arrived.
  if (await findAccount(orm, accountId)) await saveBillingAddress(orm, accountId, order, now);
  await onboardBuyer(orm, deps, order, accountId, now);
}

async function mailConfirmation(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  subscription: SubscriptionRow,
  dedupeKey: string,
  now: Date,
): Promise<void> {
  const { reference, trialHours } = order;
  const hasTrial = trialHours > 0;
  // During the trial the plan can be changed at once.
  const { plan, priceCents } = hasTrial ? subscription : order;
  const trialEnd = addHours(order.completedAt ?? now, trialHours);
  const account = await findAccount(orm, subscription.accountId);
  const timeZone = account?.timeZone ?? LOCALES[order.locale].zone;
  const isPromised = !(await isOfferUsedByMailbox(orm, 'money_back', order.email));
  const values = (locale: Locale) => ({
    reference,
    plan: planText(plan, locale),
    amount: moneyText(priceCents, locale),
    price: priceText(plan, priceCents, locale),
    trialEnd: dateTimeText(trialEnd, locale, timeZone),
    nextCharge: nextChargeText(subscription, locale, timeZone),
    withdrawal: withdrawalText(deps, order, isPromised, locale),
  });
  const template = hasTrial ? 'billing-mail.order_confirmed' : 'billing-mail.order_paid';
  const attachment = {
    filename: fillText(BILLING_TEXTS[order.locale].order.file, { reference }),
    contentType: 'text/plain; charset=utf-8',
    content: Buffer.from(confirmationText(deps.settings, order, timeZone)),
  };
  await mailTo(orm, { ...order, timeZone }, { template, values, dedupeKey, attachments: [attachment] }, now);
}

/**
 * A new customer gets the link to set up the account, which carries the design; for others the design becomes a code.
 */
async function onboardBuyer(
  orm: Orm,
  deps: Deps,
  { email, locale, draftId, buyer, accountId: orderingAccountId }: OrderRow,
  accountId: string,
  now: Date,
): Promise<void> {
  if (!orderingAccountId) {
    const { token } = await createOnboarding(orm, deps, { email, locale, draftId, name: buyer.name }, now);
    if (token) return;
  }
  const account = await findAccount(orm, accountId);
  if (account && draftId) await createFromDraft(orm, deps, accountId, draftId, now);
}

/** The address of a successful order becomes the account's default billing address, as invoices name that one. */
async function saveBillingAddress(
  orm: Orm,
  accountId: string,
  { buyer }: OrderRow,
  now: Date,
): Promise<void> {
  const address = {
    street: buyer.street,
    city: buyer.city,
    postal_code: buyer.postalCode,
    country: buyer.country,
    professional: buyer.professional,
    company_name: buyer.company,
    vat_number: buyer.vatNumber,
    siret_number: buyer.siret,
  };
  const saved = (await listAddresses(orm, accountId)).map(presentAddress);
  const known = saved.find((one) => isDeepStrictEqual({ ...one, ...address }, one));
  await moveDefault(orm, accountId, known?.id);
  if (!known) await insertAddress(orm, accountId, { ...address, state_region: '', is_default: true }, now);
}

/** The promise is given once per person; the right of withdrawal is every consumer's. */
function withdrawalText({ settings }: Deps, order: OrderRow, isPromised: boolean, locale: Locale): string {
  const texts = BILLING_TEXTS[locale];
  const { publicUrl, plans } = settings;
  if (order.buyer.professional) {
    if (!isPromised) return '';
    return fillText(texts.withdrawal_professional, { days: plans.withdrawalDays, publicUrl });
  }
  const date = lastDayText(statutoryWithdrawalEnd(order), locale);
  return fillText(texts.withdrawal_consumer, { date, publicUrl });
}
