import { DAY_MS, HOUR_MS } from '#contract/time';
import type { FoldedDay } from '#host/db/statistics.tables';
import { currentLanguage } from '#runtime/accept-language';
import type { Period } from './period';
import type { OffsetSpan } from './time-zone';

export interface Counts {
  scans: number;
  clicks: number;
  bots: number;
  previews: number;
  owner: number;
}

export const FACETS = ['country', 'device', 'language', 'os', 'type'] as const;
export type Facet = (typeof FACETS)[number];

/**
 * Adds up UTC hours and UTC days for a period. Counters have whole hours: if a time zone is half an hour off, an hour
 * counts for the day and the hour in which it begins.
 */
export class Tally {
  /** By date of the period. */
  readonly days: Counts[];
  /** Visits by people from 0 to 23 o'clock. */
  readonly hours = Array.from({ length: 24 }, () => 0);
  /** The same for each day of the week, from Monday. */
  readonly weekdays = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  /** Persons by UTC day; only for a code. */
  readonly visitors = new Map<string, number>();
  private readonly facets = new Map<Facet, Map<string, number>>();
  private readonly begin: number;
  private readonly end: number;
  private readonly firstWeekday: number;
  /** Of the hour that was added last: the next one is most often in it too. */
  private span: OffsetSpan | undefined;

  constructor(private readonly period: Period) {
    this.days = period.dates.map(() => ({ scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 }));
    this.begin = period.starts[0] ?? 0;
    this.end = period.starts.at(-1) ?? 0;
    this.firstWeekday = (new Date(period.from).getUTCDay() + 6) % 7;
  }

  /** `at` is the start of an hour in milliseconds. */
  addHour(at: number, { scans, clicks, bots, previews, owner }: Counts): void {
    if (at < this.begin || at >= this.end) return;
    const position = this.dayOf(at);
    const day = this.days[position];
    if (!day) return;
    day.scans += scans;
    day.clicks += clicks;
    day.bots += bots;
    day.previews += previews;
    day.owner += owner;
    if (!this.span || at < this.span.start || at >= this.span.end)
      this.span = this.period.spans.find(({ end }) => at < end);
    const hour = Math.floor((at + (this.span?.offsetMs ?? 0)) / HOUR_MS) % 24;
    this.hours[hour] = (this.hours[hour] ?? 0) + scans + clicks;
    const weekday = this.weekdays[this.weekdayOf(position)];
    if (weekday) weekday[hour] = (weekday[hour] ?? 0) + scans + clicks;
  }

  /** Visits by people on a UTC day. */
  addFacet(day: string, facet: Facet, value: string, visits: number): void {
    if (day < this.period.from || day > this.period.to) return;
    let values = this.facets.get(facet);
    if (!values) {
      values = new Map();
      this.facets.set(facet, values);
    }
    // Hosts of older releases stored languages as browsers sent them, such as `iw` for `he`.
    const current = facet === 'language' ? currentLanguage(value) : value;
    values.set(current, (values.get(current) ?? 0) + visits);
  }

  addVisitors(day: string, visitors: number): void {
    if (visitors === 0 || day < this.period.from || day > this.period.to) return;
    this.visitors.set(day, (this.visitors.get(day) ?? 0) + visitors);
  }

  addFolded(day: string, { hours = {}, facets = {}, visitors = 0 }: FoldedDay): void {
    const midnight = Date.parse(day);
    for (const [hour, [scans, clicks, bots, previews, owner]] of Object.entries(hours)) {
      this.addHour(midnight + Number(hour) * HOUR_MS, { scans, clicks, bots, previews, owner });
    }
    for (const facet of FACETS) {
      for (const [value, visits] of Object.entries(facets[facet] ?? {}))
        this.addFacet(day, facet, value, visits);
    }
    this.addVisitors(day, visitors);
  }

  /** Most first. */
  valuesOf(facet: Facet): { value: string; visits: number }[] {
    return [...(this.facets.get(facet) ?? [])]
      .map(([value, visits]) => ({ value, visits }))
      .sort((a, b) => b.visits - a.visits || (a.value < b.value ? -1 : 1));
  }

  /** From 0 for Monday. */
  private weekdayOf(position: number): number {
    return (this.firstWeekday + position) % 7;
  }

  /** Days have 23 to 25 hours, so the index is close to the one for days of 24. */
  private dayOf(at: number): number {
    const { starts } = this.period;
    let day = Math.min(Math.floor((at - this.begin) / DAY_MS), this.days.length - 1);
    while ((starts[day] ?? 0) > at) day -= 1;
    while ((starts[day + 1] ?? Number.POSITIVE_INFINITY) <= at) day += 1;
    return day;
  }
}
