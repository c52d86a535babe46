import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#contract/time';
import { addDays, dateAt, spansOf, startOfDay } from '#host/statistics/time-zone';

/** Changes at midnight, at other times, twice within weeks, by half an hour, by a whole day, and a zone without any. */
const CHANGES = [
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Sao_Paulo', '2019-02-17'],
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['America/Santiago', '2026-04-05'],
  ['America/Santiago', '2026-09-06'],
  ['Asia/Beirut', '2026-03-29'],
  ['Asia/Beirut', '2026-10-25'],
  ['America/Havana', '2026-03-08'],
  ['Europe/Paris', '2026-03-29'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Africa/Casablanca', '2026-03-22'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Pacific/Apia', '2011-12-31'],
  ['Asia/Kathmandu', '2026-01-01'],
] as const;

/** The first minute at which a calendar of the zone shows the date or a later one. */
function firstMinuteOf(timeZone: string, date: string): number {
  const calendar = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  let at = Date.parse(date) - 30 * HOUR_MS;
  while (calendar.format(at) < date) at += MINUTE_MS;
  return at;
}

test.each(CHANGES)('in %s the days around %s begin when the calendar date changes', (timeZone, changed) => {
  for (const days of [-1, 0, 1, 2]) {
    const date = addDays(changed, days);
    const spans = spansOf(timeZone, Date.parse(date) - 48 * HOUR_MS, Date.parse(date) + 72 * HOUR_MS);
    const begins = startOfDay(spans, date);
    expect(new Date(begins)).toEqual(new Date(firstMinuteOf(timeZone, date)));
    expect(dateAt(timeZone, begins) >= date).toBe(true);
    expect(dateAt(timeZone, begins - 1) < date).toBe(true);
  }
});
