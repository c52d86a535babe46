import { z } from 'zod';

/** Languages of the product, by our own codes. */
export const LOCALES = ['gb', 'fr', 'es', 'de', 'it'] as const;
export const Locale = z.enum(LOCALES, 'locale_unknown');
export type Locale = z.infer<typeof Locale>;

export const DEFAULT_LOCALE: Locale = 'gb';

/** Language tags (BCP 47) that browsers, Intl and Stripe know; `gb` is not one. */
export const LANGUAGE_TAGS = {
  gb: 'en-GB',
  fr: 'fr',
  es: 'es',
  de: 'de',
  it: 'it',
} as const satisfies Record<Locale, string>;

/** The two-letter language, as in HTML's `lang`. */
export function languageOf(locale: Locale): string {
  return LANGUAGE_TAGS[locale].slice(0, 2);
}
