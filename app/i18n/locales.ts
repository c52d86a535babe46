/** Locale codes of the product, with the language tags that Intl and browsers know; `gb` is not one. */
export const LOCALES = {
  gb: { tag: 'en-GB', html: 'en', label: 'English' },
  fr: { tag: 'fr', html: 'fr', label: 'Français' },
  es: { tag: 'es', html: 'es', label: 'Español' },
  de: { tag: 'de', html: 'de', label: 'Deutsch' },
  it: { tag: 'it', html: 'it', label: 'Italiano' },
} as const;

export type Locale = keyof typeof LOCALES;

export const DEFAULT_LOCALE: Locale = 'gb';
/** Used where a text is missing in the chosen language. */
export const FALLBACK_LOCALE: Locale = 'fr';
export const LOCALE_CODES = Object.keys(LOCALES) as Locale[];

export function isLocale(value: unknown): value is Locale {
  return typeof value === 'string' && Object.hasOwn(LOCALES, value);
}
