import type { Body } from '#contract/call';
import type { getStatistics } from '#contract/statistics';
import { DAY_MS, HOUR_MS } from '#contract/time';
import { invalidField } from '#host/http/errors';
import { addDays, dateAt, type OffsetSpan, spansOf, startOfDay } from './time-zone';

/** A range of days in the calendar of a time zone. */
export interface Period {
  timeZone: string;
  /** First and last date, both inclusive. */
  from: string;
  to: string;
  dates: string[];
  /** Start of each date in milliseconds since the epoch, and the end of the last one. */
  starts: number[];
  spans: OffsetSpan[];
}

const DEFAULT_DAYS = 30;

/** Throws `invalid` for a range that ends after today. */
export function readPeriod(filter: Body<typeof getStatistics>, now: Date): Period {
  const { timeZone } = filter;
  const today = dateAt(timeZone, now.getTime());
  const to = filter.to ?? today;
  if (to > today) throw invalidField('to', 'range_future');
  const from = filter.from ?? addDays(to, 1 - (filter.period ?? DEFAULT_DAYS));
  return periodOf(timeZone, from, to);
}

function periodOf(timeZone: string, from: string, to: string): Period {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const dates = Array.from({ length: days }, (_, day) => addDays(from, day));
  const spans = spansOf(timeZone, Date.parse(from) - DAY_MS, Date.parse(to) + 3 * DAY_MS);
  const starts = [...dates, addDays(to, 1)].map((date) => startOfDay(spans, date));
  return { timeZone, from, to, dates, starts, spans };
}

/** The same number of days before, ending at the hour that a day which is not over has reached. */
export function periodBefore(period: Period, now: Date): Period {
  const { timeZone, starts } = period;
  const days = period.dates.length;
  const before = periodOf(timeZone, addDays(period.from, -days), addDays(period.from, -1));
  const reached = now.getTime() - (starts[days - 1] ?? 0);
  const end = (before.starts[days - 1] ?? 0) + Math.ceil(reached / HOUR_MS) * HOUR_MS;
  return { ...before, starts: [...before.starts.slice(0, -1), Math.min(end, before.starts[days] ?? end)] };
}

/** How many minutes of an hour in the zone belong to a UTC hour that began before it; the maximum in the period. */
export function lateMinutesOf({ starts, spans }: Period): number {
  const [begin = 0, end = 0] = [starts[0], starts.at(-1)];
  const lateMs = spans
    .filter((span) => span.start < end && span.end > begin)
    .map(({ offsetMs }) => ((offsetMs % HOUR_MS) + HOUR_MS) % HOUR_MS);
  return Math.ceil(Math.max(0, ...lateMs) / 60_000);
}

/** Length of a date in hours, by its index in the period. */
export function hoursOf({ starts }: Period, position: number): number {
  return ((starts[position + 1] ?? 0) - (starts[position] ?? 0)) / HOUR_MS;
}
