export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 60 * MINUTE_SECONDS;

/** The UTC day of a time, as in `2026-03-02`; numbers are milliseconds since the epoch. */
export function utcDay(at: Date | number): string {
  return new Date(at).toISOString().slice(0, 10);
}
