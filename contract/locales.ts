// The languages of the product. Without a schema library: browsers load this.

/** Our own codes; `gb` is no language tag. */
export const LOCALE_CODES = ['gb', 'fr', 'es', 'de', 'it'] as const;
export type Locale = (typeof LOCALE_CODES)[number];

/**
 * With the tags (BCP 47) that browsers, Intl and Stripe know, the two-letter languages as in HTML's `lang`, names, and the
 * time zone in which most readers live: that of all times, on pages and in mails, while none is known of an account.
 */
export const LOCALES = {
  gb: { tag: 'en-GB', html: 'en', label: 'English', zone: 'Europe/London' },
  fr: { tag: 'fr', html: 'fr', label: 'Français', zone: 'Europe/Paris' },
  es: { tag: 'es', html: 'es', label: 'Español', zone: 'Europe/Madrid' },
  de: { tag: 'de', html: 'de', label: 'Deutsch', zone: 'Europe/Berlin' },
  it: { tag: 'it', html: 'it', label: 'Italiano', zone: 'Europe/Rome' },
} as const satisfies Record<Locale, { tag: string; html: string; label: string; zone: string }>;

export const DEFAULT_LOCALE: Locale = 'gb';
/** Used where a text is missing in the chosen language. */
export const FALLBACK_LOCALE: Locale = 'fr';

export function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && Object.hasOwn(LOCALES, value);
}
