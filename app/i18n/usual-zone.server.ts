import type { Locale } from './locales';

/** The zone in which most readers of a language live. */
const ZONE_OF: Record<Locale, string> = {
  gb: 'Europe/London',
  fr: 'Europe/Paris',
  es: 'Europe/Madrid',
  de: 'Europe/Berlin',
  it: 'Europe/Rome',
};

export function usualZone(locale: Locale): string {
  return ZONE_OF[locale];
}
