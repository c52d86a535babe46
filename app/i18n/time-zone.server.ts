import { DEVICE_ZONE_COOKIE, findCookie, ZONE_COOKIE } from './cookie-names';
import type { Locale } from './locales';

const MAX_CHARACTERS = 100;

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

/** The zone for displayed times, and for statistics unless the address names another. */
export function readZone(request: Request, locale: Locale): string {
  return findSavedZone(request.headers.get('cookie') ?? '') ?? usualZone(locale);
}

/** The zone that the user chose, else that of the device; null if neither is known. */
export function findSavedZone(cookies: string): string | null {
  return zoneIn(cookies, ZONE_COOKIE) ?? zoneIn(cookies, DEVICE_ZONE_COOKIE);
}

function zoneIn(cookies: string, name: string): string | null {
  const saved = findCookie(cookies, name);
  const zone = saved && saved.length <= MAX_CHARACTERS && decodedOf(saved);
  return zone && isZone(zone) ? zone : null;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function decodedOf(value: string): string | null {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
}
