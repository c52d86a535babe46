import { LOCALES, type Locale } from '#contract/locales';
import type { Scope } from '~/http/scope.server';
import { readZone } from '~/http/time-zone.server';
import { formatDate, formatDateTime, formatMoney } from '~/ui/format';

/** Time zone of the seller, whose calendar decides withdrawal and refund periods. */
const SELLER_ZONE = 'Europe/Paris';

/**
 * Formats amounts and dates on the server, because the browser's locale data may differ. Times are shown in the zone of
 * `readZone`, as everywhere in the account.
 */
export function formattersFor(locale: Locale, timeZone: string) {
  const { tag } = LOCALES[locale];
  return {
    /** From euro cents. */
    money: (cents: number) => formatMoney(cents, tag),
    day: (at: string | Date) => formatDate(at, tag, { timeZone }),
    sellerDay: (at: string | Date) => formatDate(at, tag, { timeZone: SELLER_ZONE }),
    /** The last day before `end`: withdrawal periods end at midnight in Paris. */
    lastDay: (end: string) => formatDate(new Date(Date.parse(end) - 1), tag, { timeZone: SELLER_ZONE }),
    dateTime: (at: string | Date) => formatDateTime(at, tag, { timeZone }),
  };
}
export type Formatters = ReturnType<typeof formattersFor>;

/** Those of the page's language and the account's zone. */
export async function readFormatters(scope: Scope): Promise<Formatters> {
  return formattersFor(scope.locale, await readZone(scope));
}
