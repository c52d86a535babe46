/**
 * Date with the month in words, in the language with this BCP 47 tag; in UTC unless another zone is given.
 */
export function formatDate(value: string | Date, tag: string, options?: Intl.DateTimeFormatOptions): string {
  const format = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC', ...options } as const;
  return new Intl.DateTimeFormat(tag, format).format(new Date(value));
}

/** Date and time of day with the short name of the time zone. */
export function formatDateTime(
  value: string | Date,
  tag: string,
  options: Intl.DateTimeFormatOptions & { timeZone: string },
): string {
  return formatDate(value, tag, { hour: '2-digit', minute: '2-digit', timeZoneName: 'short', ...options });
}

export function formatNumber(value: number, tag: string, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(tag, options).format(value);
}

/** Amount in euros. */
export function formatMoney(cents: number, tag: string): string {
  return new Intl.NumberFormat(tag, { style: 'currency', currency: 'EUR' }).format(cents / 100);
}
