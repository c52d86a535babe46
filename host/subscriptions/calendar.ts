import { DAY_MS, HOUR_MS } from '#contract/time';
import type { OrderRow } from './order/store';

/** Days after the first failed attempt at which a charge is retried: 4 times within 14 days (terms of sale). */
export const RETRY_DAYS = [3, 5, 7, 14] as const;
/** Must be between 3 months and 1 month before the end (consumer code L215-1). */
const NOTICE_DAYS = 45;
/** Consumer code L221-18. */
const WITHDRAWAL_DAYS = 14;

type Interval = 'month' | 'year';

export function intervalOf(plan: string): Interval {
  return plan.endsWith('yearly') ? 'year' : 'month';
}

export function monthsOf(plan: string): number {
  return intervalOf(plan) === 'year' ? 12 : 1;
}

/**
 * The same day in Paris this many months later, or the last day of the month if there is no such day, at the same time
 * (UTC), or an hour from it if that is on another day in Paris. Always count from the first date, not from the last
 * result: 31 January, 28 February, 31 March.
 */
export function addMonths(anchor: Date, months: number): Date {
  const first = parisDay(anchor);
  const date = new Date(first);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  const sameTime = new Date(date.getTime() + anchor.getTime() - first);
  return addHours(sameTime, Math.sign(date.getTime() - parisDay(sameTime)));
}

export function addHours(date: Date, hours: number): Date {
  return new Date(date.getTime() + hours * HOUR_MS);
}

export function addDays(date: Date, days: number): Date {
  return new Date(date.getTime() + days * DAY_MS);
}

/** The same time of day (UTC), this many working days later. */
export function addBusinessDays(date: Date, days: number): Date {
  let later = date;
  for (let left = days; left > 0; ) {
    later = addDays(later, 1);
    if (isWorkingDay(parisDay(later))) left -= 1;
  }
  return later;
}

/**
 * When to retry after the n-th failure of a charge; null if that was the last one. The days count from the first
 * attempt. If the planned day is over or less than a day away, as after an interruption, the retry keeps the distance
 * that the planned days have.
 */
export function retryAt(firstTry: Date, failures: number, now: Date): Date | null {
  const days = RETRY_DAYS[failures - 1];
  if (days === undefined) return null;
  const planned = addDays(firstTry, days);
  const daysBefore = RETRY_DAYS[failures - 2] ?? 0;
  return planned >= addDays(now, 1) ? planned : addDays(now, days - daysBefore);
}

/** A day before the first charge, or half the trial before it if that is less. */
export function trialReminderAt(start: Date, trialEnd: Date): Date {
  const half = (trialEnd.getTime() - start.getTime()) / 2;
  return new Date(trialEnd.getTime() - Math.min(DAY_MS, half));
}

export function renewalNoticeAt(periodEnd: Date): Date {
  return addDays(periodEnd, -NOTICE_DAYS);
}

/**
 * End of the withdrawal period (consumer code L221-18 and L221-19): this many whole days after the day of the order,
 * extended to the end of the next working day if the last one is a Saturday, a Sunday or a public holiday. Days are
 * those of Paris, like all dates shown to customers.
 */
export function withdrawalEnd(orderedAt: Date, days: number): Date {
  let last = parisDay(orderedAt) + days * DAY_MS;
  while (!isWorkingDay(last)) last += DAY_MS;
  return startOfParisDay(last + DAY_MS);
}

/** End of the period granted by law to consumers, whatever else the seller promises. */
export function statutoryWithdrawalEnd({
  completedAt,
  createdAt,
}: Pick<OrderRow, 'createdAt' | 'completedAt'>): Date {
  return withdrawalEnd(completedAt ?? createdAt, WITHDRAWAL_DAYS);
}

/** Midnight at the start of its day, in Paris. */
export function startOfDay(date: Date): Date {
  return startOfParisDay(parisDay(date));
}

/** The seller's time zone: deadlines of the contract run from midnight to midnight there. */
const TIME_ZONE = 'Europe/Paris';

const dateFormat = new Intl.DateTimeFormat('en-CA', {
  timeZone: TIME_ZONE,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/**
 * French public holidays with a fixed date (labour code L3133-1), as month and day. The package `date-holidays` has
 * them too, but costs 46 MB on disk, 26 MB of memory and a quarter of a second at every start.
 */
const FIXED_HOLIDAYS = new Set(['01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25']);
/** Easter Monday, Ascension Day and Whit Monday, in days after Easter. */
const MOVABLE_HOLIDAYS = new Set([1, 39, 50]);

/** The date in Paris, as midnight UTC of that date: for counting days, not a point in time. */
export function parisDay(moment: Date): number {
  return Date.parse(dateFormat.format(moment));
}

/** When such a day begins in Paris. Clocks there are one or two hours ahead of UTC, and never change at midnight. */
function startOfParisDay(day: number): Date {
  const inSummer = new Date(day - 2 * HOUR_MS);
  return parisDay(inSummer) === day ? inSummer : new Date(day - HOUR_MS);
}

/** Whether such a day is not a Saturday, a Sunday or a French public holiday. */
function isWorkingDay(day: number): boolean {
  const date = new Date(day);
  if (date.getUTCDay() === 0 || date.getUTCDay() === 6) return false;
  if (FIXED_HOLIDAYS.has(date.toISOString().slice(5, 10))) return false;
  return !MOVABLE_HOLIDAYS.has((day - easterOf(date.getUTCFullYear())) / DAY_MS);
}

/** Easter Sunday in the Gregorian calendar, by the Meeus/Jones/Butcher algorithm. */
export function easterOf(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const leapCenturies = Math.floor(century / 4);
  const moonShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - moonShift + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const dayOffset = epact + weekday - 7 * late + 114;
  return Date.UTC(year, Math.floor(dayOffset / 31) - 1, (dayOffset % 31) + 1);
}
