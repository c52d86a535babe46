import { LRUCache } from 'lru-cache';
import { listTransitions } from '#contract/contents/zoned-times';
import { exactOffsetAt } from '#contract/local-time';
import { DAY_MS, HOUR_MS, utcDay } from '#contract/time';

/** A span of time in which a zone has a constant offset from UTC. */
export interface OffsetSpan {
  /** Milliseconds since the epoch; `end` is exclusive. */
  start: number;
  end: number;
  offsetMs: number;
}

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
  return utcDay(at + exactOffsetAt(timeZone, at));
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
  let [start, offsetMs] = [from, exactOffsetAt(timeZone, from)];
  for (const { at, after } of listTransitions(from, to, timeZone)) {
    // The last one may come later.
    if (at >= to) break;
    spans.push({ start, end: at, offsetMs });
    [start, offsetMs] = [at, after];
  }
  return [...spans, { start, end: to, offsetMs }];
}
