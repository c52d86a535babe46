import { plainDateTime } from '#contract/date-words';

/** Making a formatter takes far longer than using it. */
const formatters = new Map<string, unknown>();
const MAX_FORMATTERS = 500;

function known<Formatter, Options extends object>(
  Kind: new (tag: string, options?: Options) => Formatter,
  tag: string,
  options?: Options,
): Formatter {
  const key = `${Kind.name} ${tag} ${JSON.stringify(options)}`;
  let formatter = formatters.get(key) as Formatter | undefined;
  if (!formatter) {
    formatter = new Kind(tag, options);
    if (formatters.size >= MAX_FORMATTERS) formatters.clear();
    formatters.set(key, formatter);
  }
  return formatter;
}

/**
 * Date with the month in words, in the language with this BCP 47 tag; in UTC unless another zone is given.
 */
export function formatDate(value: string | Date, tag: string, options?: Intl.DateTimeFormatOptions): string {
  const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC', ...options } as const;
  return known(Intl.DateTimeFormat, tag, format).format(new Date(value));
}

/** Date and time of day with the short name of the time zone. */
export function formatDateTime(
  value: string | Date,
  tag: string,
  options: Intl.DateTimeFormatOptions & { timeZone: string },
): string {
  const format = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short', ...options } as const;
  return plainDateTime(formatDate(value, tag, format), options.timeZone);
}

export function formatNumber(value: number, tag: string, options?: Intl.NumberFormatOptions): string {
  return known(Intl.NumberFormat, tag, options).format(value);
}

/** Amount in euros. */
export function formatMoney(cents: number, tag: string): string {
  return known(Intl.NumberFormat, tag, { style: 'currency', currency: 'EUR' }).format(cents / 100);
}

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
  const seconds = Math.floor((now.getTime() - new Date(value).getTime()) / 1000);
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? ['second', Number.POSITIVE_INFINITY];
  // Words such as "yesterday" are of the calendar, which 36 hours are not.
  const numeric = unit === 'second' ? 'auto' : 'always';
  const format = known(Intl.RelativeTimeFormat, tag, { numeric } as const);
  // `-0` would read as "in 0 seconds" where a language has no word for now.
  return format.format(-Math.floor(seconds > 0 ? seconds / size : 0) || 0, unit);
}
