import { instantOf, isTimeZone } from './zoned-times';

/** When an event takes place, as entered. Without a time of its start it takes all day. */
export interface EnteredTimes {
  startDate?: string;
  startTime?: string;
  endDate?: string;
  endTime?: string;
  timeZone?: string;
}

export type EventTimes =
  /** Days as in `2026-12-24`, both included. */
  | { isAllDay: true; from: string; to: string }
  /** Instants; the end is that of the start if none is known. */
  | { isAllDay: false; from: number; to: number; zone: string };

const FIRST_YEAR = 2000;
const LAST_YEAR = 2100;

/** Undefined for what cannot be read. */
export function readTimes(entered: EnteredTimes): EventTimes | undefined {
  return checkTimes(entered).length > 0 ? undefined : timesOf(entered);
}

function timesOf({ startDate = '', startTime, endDate, endTime, timeZone = '' }: EnteredTimes): EventTimes {
  if (!startTime) return { isAllDay: true, from: startDate, to: endDate || startDate };
  const from = instantOf(`${startDate}T${startTime}`, timeZone);
  if (!endTime) return { isAllDay: false, from, to: from, zone: timeZone };
  // From ten in the evening until two is over midnight.
  const lastDate = endDate || (endTime < startTime ? dayAfter(startDate) : startDate);
  return { isAllDay: false, from, to: instantOf(`${lastDate}T${endTime}`, timeZone), zone: timeZone };
}

export function dayAfter(date: string): string {
  return new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
}

export function checkTimes(entered: EnteredTimes) {
  const { startDate, startTime, endDate, endTime, timeZone = '' } = entered;
  const problems: { field: string; code: TimeProblem }[] = [];
  const refuse = (field: keyof EnteredTimes, code: TimeProblem) => problems.push({ field, code });
  if (!startDate) refuse('startDate', 'date_required');
  else if (!isDate(startDate)) refuse('startDate', 'date_invalid');
  if (startTime && !isTime(startTime)) refuse('startTime', 'time_invalid');
  if (endDate && !isDate(endDate)) refuse('endDate', 'date_invalid');
  if (endTime && !isTime(endTime)) refuse('endTime', 'time_invalid');
  if (endTime && !startTime) refuse('startTime', 'start_time_required');
  if (startTime && endDate && !endTime) refuse('endTime', 'end_time_required');
  if (startTime && !isTimeZone(timeZone)) refuse('timeZone', 'time_zone_invalid');
  if (problems.length > 0) return problems;
  const { from, to } = timesOf(entered);
  if (to < from) refuse('endDate', 'end_before_start');
  return problems;
}

type TimeProblem =
  | 'date_required'
  | 'date_invalid'
  | 'time_invalid'
  | 'start_time_required'
  | 'end_time_required'
  | 'time_zone_invalid'
  | 'end_before_start';

function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  const year = Number(text.slice(0, 4));
  // Some engines read 30 February as 2 March.
  return new Date(time || 0).toISOString().startsWith(text) && year >= FIRST_YEAR && year <= LAST_YEAR;
}

function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
}
