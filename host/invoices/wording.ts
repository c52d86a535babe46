import { LRUCache } from 'lru-cache';
import { elideArticles, plainDateTime } from '#contract/date-words';
import { LOCALES, type Locale } from '#contract/locales';
import { BILLING_TEXTS } from '#host/mail/texts';

/** The seller's time zone, whose days are those of invoices, refunds and deadlines. */
const TIME_ZONE = 'Europe/Paris';

const moneyFormat = perLocale(
  (language) => new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR' }),
);
const percentFormat = perLocale(
  (language) => new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }),
);
const dateFormat = perLocale(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: TIME_ZONE }),
);
const yearFormat = new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: TIME_ZONE });

const DATE_TIME = {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/** Creating a format takes as long as using it forty times. */
function perLocale<T>(create: (language: string) => T): (locale: Locale) => T {
  const formats = new Map<Locale, T>();
  return (locale) => {
    const format = formats.get(locale) ?? create(LOCALES[locale].tag);
    formats.set(locale, format);
    return format;
  };
}

/** Cents as an amount in euros. */
export function moneyText(cents: number, locale: Locale): string {
  return moneyFormat(locale).format(cents / 100);
}

/** A VAT rate, `8,5 %`. */
export function percentText(percent: number, locale: Locale): string {
  return percentFormat(locale).format(percent / 100);
}

export function dateText(date: Date, locale: Locale): string {
  return dateFormat(locale).format(date);
}

/** The year shown by `dateText`. */
export function yearOf(date: Date): number {
  return Number(yearFormat.format(date));
}

const dateTimeFormats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

/** Date and time with the time zone, by default the usual one of the language: charges happen at a certain time. */
export function dateTimeText(date: Date, locale: Locale, timeZone: string = LOCALES[locale].zone): string {
  const { tag } = LOCALES[locale];
  const key = `${tag} ${timeZone}`;
  const format = dateTimeFormats.get(key) ?? new Intl.DateTimeFormat(tag, { ...DATE_TIME, timeZone });
  dateTimeFormats.set(key, format);
  return plainDateTime(format.format(date), timeZone);
}

/** The last day of something that ends at this time: if that is midnight, the day before. */
export function lastDayText(end: Date, locale: Locale): string {
  return dateText(new Date(end.getTime() - 1), locale);
}

export function planText(plan: string, locale: Locale): string {
  const plans: Partial<Record<string, string>> = BILLING_TEXTS[locale].plans;
  return plans[plan] ?? plan;
}

/** What a plan costs, as an amount per month or year. */
export function priceText(plan: string, cents: number, locale: Locale): string {
  const prices: Partial<Record<string, string>> = BILLING_TEXTS[locale].prices;
  return fillText(prices[plan] ?? '{{amount}}', { amount: moneyText(cents, locale) });
}

export function cardText(card: { brand: string; last4: string }, locale: Locale): string {
  const brand = card.brand.replace(/^\w/, (letter) => letter.toUpperCase());
  return fillText(BILLING_TEXTS[locale].card, { brand, last4: card.last4 });
}

export function periodText(start: Date, end: Date, locale: Locale): string {
  const until = dateText(end, locale);
  return fillText(BILLING_TEXTS[locale].period, { from: dateText(start, locale), until });
}

/** Replaces `{{name}}` placeholders with values. */
export function fillText(text: string, values: Record<string, string | number>): string {
  return elideArticles(text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(values[name] ?? '')));
}
