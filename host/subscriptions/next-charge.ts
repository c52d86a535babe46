import type { Locale } from '#contract/locales';
import { dateTimeText, fillText, moneyText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { paidUntil } from './ending';
import type { SubscriptionRow } from './subscriptions.store';

/** What a running contract charges next, and when; or that it charges nothing more once it is cancelled. */
export function nextChargeText(subscription: SubscriptionRow, locale: Locale): string {
  const { first, next, none } = BILLING_TEXTS[locale].charges;
  const { status, cancelAtPeriodEnd, priceCents, nextPriceCents } = subscription;
  if (cancelAtPeriodEnd) return none;
  return fillText(status === 'trialing' ? first : next, {
    amount: moneyText(nextPriceCents ?? priceCents, locale),
    date: dateTimeText(paidUntil(subscription), locale),
  });
}
