import { type Locale, TAG_OF } from '#contract/locales';
import { BILLING_TEXTS } from '#host/mail/texts';

/** The seller's time, which invoices, charges and deadlines are told in. */
const TIME_ZONE = 'Europe/Paris';
/** All that French has for the zone in short: `UTC+1`. */
const ZONE_AS_OFFSET = /UTC[+-]\d+$/;

/** Cents as an amount in euro. */
export function moneyText(cents: number, locale: Locale): string {
  return new Intl.NumberFormat(TAG_OF[locale], { style: 'currency', currency: 'EUR' }).format(cents / 100);
}

/** A rate of VAT, `8,5 %`. */
export function percentText(percent: number, locale: Locale): string {
  const form = { style: 'percent', maximumFractionDigits: 2 } as const;
  return new Intl.NumberFormat(TAG_OF[locale], form).format(percent / 100);
}

export function dateText(date: Date, locale: Locale): string {
  return new Intl.DateTimeFormat(TAG_OF[locale], { dateStyle: 'long', timeZone: TIME_ZONE }).format(date);
}

/** The year that `dateText` names. */
export function yearOf(date: Date): number {
  return Number(new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: TIME_ZONE }).format(date));
}

/** Day and time of day, with the name of the time zone: a charge has a moment. */
export function momentText(date: Date, locale: Locale): string {
  return new Intl.DateTimeFormat(TAG_OF[locale], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: TIME_ZONE,
    timeZoneName: 'short',
  })
    .format(date)
    .replace(ZONE_AS_OFFSET, '(heure de Paris)');
}

/** The last day of something that ends at this moment: just before midnight it is still the day before. */
export function lastDayText(end: Date, locale: Locale): string {
  return dateText(new Date(end.getTime() - 1), locale);
}

export function planText(plan: string, locale: Locale): string {
  const plans: Partial<Record<string, string>> = BILLING_TEXTS[locale].plans;
  return plans[plan] ?? plan;
}

export function cardText(card: { brand: string; last4: string }, locale: Locale): string {
  const brand = card.brand.replace(/^\w/, (letter) => letter.toUpperCase());
  return fillText(BILLING_TEXTS[locale].card, { brand, last4: card.last4 });
}

export function periodText(start: Date, end: Date, locale: Locale): string {
  const until = dateText(end, locale);
  return fillText(BILLING_TEXTS[locale].period, { from: dateText(start, locale), until });
}

/** Puts values in place of `{{name}}`. */
export function fillText(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(values[name] ?? ''));
}
