import { zoneLabel, zoneNames } from './zone-names';

/** Zones to choose from, with their current offset from UTC; the chosen one is always included. */
export function zoneOptions(chosen: string, now: Date): { value: string; label: string }[] {
  return zoneNames(chosen).map((value) => {
    const offset = value === 'UTC' ? '' : ` (${offsetOf(value, now)})`;
    return { value, label: zoneLabel(value) + offset };
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
