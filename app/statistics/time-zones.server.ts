import { choiceCookie } from '~/http/cookies.server';
import type { Locale } from '~/i18n/locales';
import { DEVICE_ZONE_COOKIE, ZONE_COOKIE } from './zone-cookie';

/** Where most readers of a language live. */
const ZONE_OF: Record<Locale, string> = {
  gb: 'Europe/London',
  fr: 'Europe/Paris',
  es: 'Europe/Madrid',
  de: 'Europe/Berlin',
  it: 'Europe/Rome',
};

/** One for each clock that people live by, the languages' own zones first; any other can stand in the address. */
const OFFERED = [
  ...Object.values(ZONE_OF),
  'UTC',
  'Pacific/Honolulu',
  'America/Anchorage',
  'America/Los_Angeles',
  'America/Denver',
  'America/Mexico_City',
  'America/Chicago',
  'America/Bogota',
  'America/New_York',
  'America/Halifax',
  'America/Santiago',
  'America/St_Johns',
  'America/Argentina/Buenos_Aires',
  'America/Sao_Paulo',
  'Atlantic/Azores',
  'Atlantic/Canary',
  'Africa/Casablanca',
  'Africa/Lagos',
  'Africa/Johannesburg',
  'Africa/Nairobi',
  'Europe/Athens',
  'Europe/Istanbul',
  'Asia/Dubai',
  'Asia/Tehran',
  'Asia/Karachi',
  'Asia/Kolkata',
  'Asia/Dhaka',
  'Asia/Bangkok',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Adelaide',
  'Australia/Sydney',
  'Pacific/Auckland',
];

export function usualZone(locale: Locale): string {
  return ZONE_OF[locale];
}

/** The zone to tell moments in, and to count by where the address names none. */
export function readZone(request: Request, locale: Locale): string {
  return findSavedZone(request.headers.get('cookie') ?? '') ?? usualZone(locale);
}

/** The zone remembered from the last choice, else that of the device; null where neither is known. */
export function findSavedZone(cookies: string): string | null {
  return zoneIn(cookies, ZONE_COOKIE) ?? zoneIn(cookies, DEVICE_ZONE_COOKIE);
}

function zoneIn(cookies: string, name: string): string | null {
  const saved = new RegExp(`(?:^|;\\s*)${name}=([^;\\s]{1,100})`).exec(cookies)?.[1];
  const zone = saved && decodedOf(saved);
  return zone && isZone(zone) ? zone : null;
}

export function zoneCookie(zone: string): string {
  return choiceCookie(ZONE_COOKIE, encodeURIComponent(zone));
}

/** Zones to choose from, with how far their clocks are from UTC now; the chosen one is always among them. */
export function zoneOptions(chosen: string, now: Date): { value: string; label: string }[] {
  const zones = OFFERED.includes(chosen) ? OFFERED : [chosen, ...OFFERED];
  return zones.map((value) => {
    const offset = value === 'UTC' ? '' : ` (${offsetOf(value, now)})`;
    return { value, label: value.replaceAll('_', ' ') + offset };
  });
}

/** The date that calendars of a zone show. */
export function todayIn(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
  }).formatToParts(now);
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

function offsetOf(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(now);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name.replace('GMT', 'UTC');
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
