export const DAY_MS = 24 * 3_600_000;

/** The UTC day of a time, as in `2026-03-02`; numbers are milliseconds since the epoch. */
export function utcDay(at: Date | number): string {
  return new Date(at).toISOString().slice(0, 10);
}
