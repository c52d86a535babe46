import { LOCALES, type Locale } from '#contract/locales';
import { DAY_MS, HOUR_MS } from '#contract/time';
import { addDays, dateAt, spansOf, startOfDay } from '#host/statistics/time-zone';

/** Mails arrive in the morning of their reader. */
const MORNING = 7;
/**
 * By how much a morning may have come earlier in a zone that was chosen since it was planned; not so much that it could be
 * the morning before.
 */
const ZONES_APART_MS = { day: 20 * HOUR_MS, week: DAY_MS, month: DAY_MS };

export type Every = 'day' | 'week' | 'month';

/** A morning in a time zone, whose date it is there. */
interface Occasion {
  at: Date;
  date: string;
}

export function zoneOf({ timeZone, locale }: { timeZone: string | null; locale: Locale }): string {
  return timeZone ?? LOCALES[locale].zone;
}

/** The first morning after a time: of any day, of a Monday, or of the first of a month. */
export function nextOccasion(every: Every, timeZone: string, after: Date): Occasion {
  const spans = spansOf(timeZone, after.getTime() - DAY_MS, after.getTime() + 40 * DAY_MS);
  for (let date = dateAt(timeZone, after.getTime()); ; date = addDays(date, 1)) {
    if (!isDayOf(every, date)) continue;
    const at = new Date(startOfDay(spans, date, MORNING));
    if (at > after) return { at, date };
  }
}

/** The occasion that was planned for a time, in the zone of now: it may lie ahead again. */
export function plannedOccasion(every: Every, timeZone: string, plannedAt: Date): Occasion {
  return nextOccasion(every, timeZone, new Date(plannedAt.getTime() - ZONES_APART_MS[every]));
}

function isDayOf(every: Every, date: string): boolean {
  if (every === 'day') return true;
  return every === 'week' ? new Date(date).getUTCDay() === 1 : date.endsWith('-01');
}

/** The week or month that ended before a date. */
export function periodBefore(every: 'week' | 'month', date: string): { from: string; to: string } {
  const to = addDays(date, -1);
  return { from: every === 'week' ? addDays(date, -7) : `${to.slice(0, 7)}-01`, to };
}
