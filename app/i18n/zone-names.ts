import { LOCALE_CODES, LOCALES } from '#contract/locales';

/** One zone for each local time in common use, those of the languages first. */
const OFFERED_ZONES = [
  ...LOCALE_CODES.map((locale): string => LOCALES[locale].zone),
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

/** Zones to choose from; the chosen one is always included. */
export function zoneNames(chosen: string): string[] {
  return OFFERED_ZONES.includes(chosen) ? OFFERED_ZONES : [chosen, ...OFFERED_ZONES];
}

export function zoneLabel(name: string): string {
  return name.replaceAll('_', ' ');
}
