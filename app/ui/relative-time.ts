const STEPS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
];

/**
 * `2 hours ago` in the language with this BCP 47 tag; `now` for less than a minute ago and for the future.
 */
export function relativeTime(value: string | Date, now: Date, tag: string): string {
  const format = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  const seconds = Math.floor((now.getTime() - new Date(value).getTime()) / 1000);
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ['second', Number.POSITIVE_INFINITY];
  // `-0` would read as "in 0 seconds" where a language has no word for now.
  return format.format(-Math.floor(seconds > 0 ? seconds / size : 0) || 0, unit);
}
