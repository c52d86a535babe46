import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS, utcDay } from '#contract/time';

/** A span of time in which a zone has a constant offset from UTC. */
export interface OffsetSpan {
  /** Milliseconds since the epoch; `end` is exclusive. */
  start: number;
  end: number;
  offsetMs: number;
}

/** Shorter than the shortest time between two changes of any clock (Morocco's, around Ramadan). */
const STEP_MS = 7 * DAY_MS;

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });
const spansOfYears = new LRUCache<string, OffsetSpan[]>({ max: 500 });

/** The spans that cover a range, in order, whole UTC years at least. */
export function spansOf(timeZone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  const lastYear = new Date(to).getUTCFullYear();
  for (let year = new Date(from).getUTCFullYear(); year <= lastYear; year += 1) {
    for (const span of spansOfYear(timeZone, year)) {
      const last = spans.at(-1);
      if (last?.offsetMs === span.offsetMs) last.end = span.end;
      else spans.push({ ...span });
    }
  }
  return spans;
}

/** The first time at which the date in the zone is this one (`2026-03-29`), at this full hour, or later. */
export function startOfDay(spans: OffsetSpan[], date: string, hour = 0): number {
  const wall = Date.parse(date) + hour * HOUR_MS;
  for (const { start, end, offsetMs } of spans) {
    // If clocks skip that time, it is when they change.
    const dayStart = Math.max(start, wall - offsetMs);
    if (dayStart < end) return dayStart;
  }
  throw new RangeError(`${date} is outside these spans`);
}

/** The date in a zone at a time. */
export function dateAt(timeZone: string, at: number): string {
  return utcDay(at + offsetAt(timeZone, at));
}

/** Adds days to a date. */
export function addDays(date: string, days: number): string {
  return utcDay(Date.parse(date) + days * DAY_MS);
}

function spansOfYear(timeZone: string, year: number): OffsetSpan[] {
  const key = `${timeZone} ${year}`;
  const cached = spansOfYears.get(key);
  if (cached) return cached;
  const spans = findSpans(timeZone, Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1));
  spansOfYears.set(key, spans);
  return spans;
}

function findSpans(timeZone: string, from: number, to: number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let start = from;
  let offsetMs = offsetAt(timeZone, from);
  for (let at = from; at < to; at += STEP_MS) {
    const next = Math.min(at + STEP_MS, to - 1);
    if (offsetAt(timeZone, next) === offsetMs) continue;
    const end = findChange(timeZone, at, next, offsetMs);
    spans.push({ start, end, offsetMs });
    start = end;
    offsetMs = offsetAt(timeZone, next);
  }
  return [...spans, { start, end: to, offsetMs }];
}

/** The first second after `from` with another offset. */
function findChange(timeZone: string, from: number, to: number, offsetMs: number): number {
  let [before, after] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(timeZone, middle * 1000) === offsetMs) before = middle;
    else after = middle;
  }
  return after * 1000;
}

function offsetAt(timeZone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}
