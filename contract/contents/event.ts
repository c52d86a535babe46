import { targetOf } from '../web-addresses';
import type { ContentType, OpensCode, Stored } from './content-type';
import { directoryLines, textValue } from './directory-text';
import { checkTimes, dayAfter, type EnteredTimes, readTimes } from './event-times';
import { checkParts, LINK, LONG, ofParts, readParts, SHORT, tidyParts } from './parts';

const TIME = { max: 40, units: 100 } as const;

const PARTS = {
  eventTitle: SHORT,
  startDate: TIME,
  startTime: TIME,
  endDate: TIME,
  endTime: TIME,
  timeZone: { max: 64, units: 100 },
  venue: SHORT,
  description: LONG,
  eventPage: LINK,
} as const;

export interface EventParts extends EnteredTimes {
  eventTitle?: string;
  venue?: string;
  description?: string;
  eventPage?: string;
}

export const event = {
  ...ofParts(PARTS),
  visit: 'page',
  acts: ['save', 'map', 'open'],
  main: 'eventTitle',
  check(fields: EventParts, opensCode: OpensCode) {
    const parts = tidyParts(PARTS, fields);
    return [
      ...(parts.eventTitle ? [] : [{ field: 'eventTitle', code: 'event_title_required' as const }]),
      ...checkParts(PARTS, fields, opensCode),
      ...checkTimes(parts),
    ];
  },
  /** In UTC: a zone and its rules would make the image larger, and the instant is the same. */
  payload({ content }: Stored) {
    const parts = readParts<EventParts>(content);
    const times = readTimes(parts);
    if (!times || !parts.eventTitle) return '';
    return directoryLines([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'BEGIN:VEVENT',
      ...(times.isAllDay ? dayLines(times) : instantLines(times, utcLine)),
      ...eventLines(parts),
      'END:VEVENT',
      'END:VCALENDAR',
    ]);
  },
  line: (content: string) => {
    const { eventTitle = '', startDate = '' } = readParts<EventParts>(content);
    return `${eventTitle}, ${startDate}`;
  },
} as const satisfies ContentType<EventParts>;

/** What an event says of itself besides its time. */
export function eventLines({ eventTitle, venue, description, eventPage }: EventParts): (string | null)[] {
  const text = (name: string, value: string | undefined) => (value ? `${name}:${textValue(value)}` : null);
  return [
    text('SUMMARY', eventTitle),
    text('LOCATION', venue),
    text('DESCRIPTION', description),
    eventPage ? `URL:${targetOf(eventPage)}` : null,
  ];
}

/** Whole days; their end is the day after the last one. */
export function dayLines({ from, to }: { from: string; to: string }): string[] {
  const dates = { DTSTART: from, DTEND: dayAfter(to) };
  return Object.entries(dates).map(([name, date]) => `${name};VALUE=DATE:${date.replaceAll('-', '')}`);
}

/** Without an end at the start, which RFC 5545 forbids (3.8.2.2). */
export function instantLines(
  { from, to }: { from: number; to: number },
  line: (name: string, at: number) => string,
): string[] {
  return [line('DTSTART', from), ...(to > from ? [line('DTEND', to)] : [])];
}

export function utcLine(name: string, at: number): string {
  return `${name}:${basicTime(at)}Z`;
}

/** An instant in UTC, or a local time, as in `20261224T180000`. */
export function basicTime(time: number | string): string {
  const text = typeof time === 'number' ? new Date(time).toISOString() : time;
  return text.slice(0, 19).replace(/[-:]/g, '');
}
