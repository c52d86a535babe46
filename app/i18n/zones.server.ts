import { LOCALE_CODES, LOCALES } from '#contract/locales';

/**
 * One zone for each local time in common use, those of the languages first; the address may name any other.
 */
const OFFERED = [
  ...LOCALE_CODES.map((locale) => LOCALES[locale].zone),
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

/** Zones to choose from, with their current offset from UTC; the chosen one is always included. */
export function zoneOptions(chosen: string, now: Date): { value: string; label: string }[] {
  const zones = OFFERED.includes(chosen) ? OFFERED : [chosen, ...OFFERED];
  return zones.map((value) => {
    const offset = value === 'UTC' ? '' : ` (${offsetOf(value, now)})`;
    return { value, label: value.replaceAll('_', ' ') + offset };
  });
}

/** The current date in a zone, as in `2026-03-02`. */
export function todayIn(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now);
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}`;
}

function offsetOf(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts(now);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name.replace('GMT', 'UTC');
}
