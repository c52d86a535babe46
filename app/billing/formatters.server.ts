import type { Locale } from '~/i18n/locales';
import { LOCALES } from '~/i18n/locales';
import { formatDate, formatMoment, formatMoney } from '~/ui/format';

/** Of the seller, by whose calendar periods to withdraw and refunds go. */
const SELLER_ZONE = 'Europe/Paris';

/**
 * Sums and dates in words of a language, made here because browsers carry other editions of the language data. Moments
 * are told in the zone of `readZone`, as everywhere in the account.
 */
export function formattersFor(locale: Locale, timeZone: string) {
  const { tag } = LOCALES[locale];
  return {
    /** From cents of the euro. */
    money: (cents: number) => formatMoney(cents, tag),
    day: (at: string | Date) => formatDate(at, tag, { timeZone }),
    sellerDay: (at: string | Date) => formatDate(at, tag, { timeZone: SELLER_ZONE }),
    /** The day that ends at this moment: periods for withdrawing end at midnight in Paris. */
    lastDay: (end: string) => formatDate(new Date(Date.parse(end) - 1), tag, { timeZone: SELLER_ZONE }),
    moment: (at: string | Date) => formatMoment(at, tag, { timeZone }),
  };
}
