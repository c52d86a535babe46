import type { Locale } from '~/i18n/locales';
import { LOCALES } from '~/i18n/locales';
import { formatDate, formatMoney } from '~/ui/format';

// Of the seller; mails and invoices name the same hours.
const TIME_ZONE = 'Europe/Paris';
const TIME = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone: TIME_ZONE } as const;
/** All that French has for the zone in short: `UTC+1`. */
const ZONE_AS_OFFSET = /UTC[+-]\d+$/;

/** Sums and dates in words of a language, made here because browsers carry other editions of the language data. */
export function wordingOf(locale: Locale) {
  const { tag } = LOCALES[locale];
  return {
    /** From cents of the euro. */
    money: (cents: number) => formatMoney(cents, tag),
    day: (at: string | Date) => formatDate(at, tag, { timeZone: TIME_ZONE }),
    /** The day that ends at this moment: periods for withdrawing end at midnight in Paris. */
    lastDay: (end: string) => formatDate(new Date(Date.parse(end) - 1), tag, { timeZone: TIME_ZONE }),
    moment: (at: string | Date) => formatDate(at, tag, TIME).replace(ZONE_AS_OFFSET, '(heure de Paris)'),
  };
}
