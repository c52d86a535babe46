import type { Locale } from '#contract/locales';
import { findAccount } from '#host/accounts/accounts.store';
import { createOnboarding } from '#host/accounts/onboarding';
import { countAddresses, insertAddress } from '#host/addresses/addresses.store';
import { createFromDraft } from '#host/codes/codes.create';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { fillText, lastDayText, momentText, moneyText, planText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { mailTo } from './billing-mails';
import { addHours, statutoryWithdrawalEnd } from './calendar';
import { changeOrder, getOrder, type OrderRow } from './orders.store';
import type { SubscriptionRow } from './subscriptions.store';
import { confirmationText } from './terms';

/** An order whose first period was paid at once. */
export async function confirmPaidOrder(
  orm: Orm,
  deps: Deps,
  { orderId, periodEnd, accountId }: SubscriptionRow,
  now: Date,
): Promise<void> {
  const order = { ...(await getOrder(orm, orderId)), status: 'complete' as const, completedAt: now };
  await changeOrder(orm, order.id, { status: 'complete', completedAt: now });
  await confirm(orm, deps, order, accountId, {
    template: 'billing-mail.order_paid',
    dates: (locale) => ({ renewalAt: momentText(periodEnd ?? now, locale) }),
    now,
  });
}

/** An order that begins with a trial. */
export async function confirmTrial(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  accountId: string,
  now: Date,
): Promise<void> {
  const firstChargeAt = addHours(now, order.trialHours);
  await confirm(orm, deps, order, accountId, {
    template: 'billing-mail.order_confirmed',
    dates: (locale) => ({ firstChargeAt: momentText(firstChargeAt, locale) }),
    now,
  });
}

/** Mails the confirmation of an order once more, to the address that the order has now. */
export async function resendConfirmation(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  { periodEnd }: SubscriptionRow,
  now: Date,
): Promise<void> {
  const firstChargeAt = addHours(order.completedAt ?? now, order.trialHours);
  const about: Omit<About, 'now'> =
    order.trialHours > 0
      ? {
          template: 'billing-mail.order_confirmed',
          dates: (locale) => ({ firstChargeAt: momentText(firstChargeAt, locale) }),
        }
      : {
          template: 'billing-mail.order_paid',
          dates: (locale) => ({ renewalAt: momentText(periodEnd ?? now, locale) }),
        };
  await mailConfirmation(orm, deps, order, { ...about, now }, `order-again:${order.id}:${now.toISOString()}`);
}

interface About {
  template: 'billing-mail.order_paid' | 'billing-mail.order_confirmed';
  dates: (locale: Locale) => Record<string, string>;
  now: Date;
}

/** The confirmation goes out before the service begins (consumer code L221-13); then the way in. */
async function confirm(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  accountId: string,
  about: About,
): Promise<void> {
  await mailConfirmation(orm, deps, order, about, `order:${order.id}`);
  const { now } = about;
  // Whoever ordered may have erased the account before the payment arrived.
  if (await findAccount(orm, accountId)) await keepAddress(orm, accountId, order, now);
  await openAccount(orm, deps, order, accountId, now);
}

async function mailConfirmation(
  orm: Orm,
  deps: Deps,
  order: OrderRow,
  { template, dates, now }: About,
  dedupeKey: string,
): Promise<void> {
  const { reference, plan, priceCents } = order;
  const values = (locale: Locale) => ({
    reference,
    plan: planText(plan, locale),
    amount: moneyText(priceCents, locale),
    withdrawal: withdrawalText(deps, order, locale),
    ...dates(locale),
  });
  const attachment = {
    filename: fillText(BILLING_TEXTS[order.locale].order.file, { reference }),
    contentType: 'text/plain; charset=utf-8',
    content: Buffer.from(confirmationText(deps.settings, order)),
  };
  await mailTo(orm, order, { template, values, dedupeKey, attachments: [attachment] }, now);
}

/** Somebody new gets the link to set the account up, which carries the design; for everyone else it becomes a code. */
async function openAccount(
  orm: Orm,
  deps: Deps,
  { email, locale, draftId, accountId: ordering }: OrderRow,
  accountId: string,
  now: Date,
): Promise<void> {
  if (!ordering) {
    const { token } = await createOnboarding(orm, deps, { email, locale, draftId }, now);
    if (token) return;
  }
  const account = await findAccount(orm, accountId);
  if (account && draftId) await createFromDraft(orm, deps, accountId, draftId, now);
}

/** The address of the first order that went through becomes the account's billing address, unless it has one. */
async function keepAddress(orm: Orm, accountId: string, { buyer }: OrderRow, now: Date): Promise<void> {
  if ((await countAddresses(orm, accountId)) > 0) return;
  const address = {
    street: buyer.street,
    city: buyer.city,
    state_region: '',
    postal_code: buyer.postalCode,
    country: buyer.country,
    professional: buyer.professional,
    company_name: buyer.company,
    vat_number: buyer.vatNumber,
    siret_number: buyer.siret,
    is_default: true,
  };
  await insertAddress(orm, accountId, address, now);
}

function withdrawalText({ settings }: Deps, order: OrderRow, locale: Locale): string {
  const texts = BILLING_TEXTS[locale];
  const { publicUrl, plans } = settings;
  if (order.buyer.professional) {
    return fillText(texts.withdrawal_professional, { days: plans.withdrawalDays, publicUrl });
  }
  const date = lastDayText(statutoryWithdrawalEnd(order), locale);
  return fillText(texts.withdrawal_consumer, { date, publicUrl });
}
