import { directoryLines } from '#contract/contents/directory-text';
import {
  basicTime,
  dayLines,
  type EventParts,
  eventLines,
  instantLines,
  utcLine,
} from '#contract/contents/event';
import type { EventTimes } from '#contract/contents/event-times';
import { isRepeated, listTransitions, localTimeOf } from '#contract/contents/zoned-times';
import { exactOffsetAt } from '#contract/local-time';
import { DAY_MS } from '#contract/time';

/** Octets of a line, without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75;
/** A calendar that moves the event by a few days still finds its rules. */
const AROUND = 400 * DAY_MS;

interface Event {
  /** Stays the same, so that a calendar replaces what it has. */
  id: string;
  parts: EventParts;
  times: EventTimes;
  now: Date;
}

/** A calendar with one event and the rules of its time zone (RFC 5545). */
export function composeCalendar({ id, parts, times, now }: Event): string {
  const text = directoryLines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Quadrille//Event//EN',
    'METHOD:PUBLISH',
    ...(times.isAllDay ? [] : zoneLines(times)),
    'BEGIN:VEVENT',
    `UID:${id}`,
    utcLine('DTSTAMP', now.getTime()),
    ...(times.isAllDay ? dayLines(times) : instantLines(times, localLine(times.zone))),
    ...eventLines(parts),
    'END:VEVENT',
    'END:VCALENDAR',
  ]);
  return folded(text);
}

type Instants = Extract<EventTimes, { isAllDay: false }>;

/** Local times that clocks show exactly once, else in UTC: calendars differ in what they make of the others. */
function localLine(zone: string) {
  return (name: string, at: number) =>
    isRepeated(at, zone) ? utcLine(name, at) : `${name};TZID=${zone}:${basicTime(localTimeOf(at, zone))}`;
}

/** Each change of the offset by itself: rules that repeat would have to be guessed from them. */
function zoneLines({ from, to, zone }: Instants): string[] {
  const start = from - AROUND;
  const first = exactOffsetAt(zone, start);
  const changes = listTransitions(start, to + AROUND, zone);
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${zone}`,
    ...observanceLines('STANDARD', start + first, first, first),
    ...changes.flatMap(({ at, before, after }) =>
      observanceLines(after > before ? 'DAYLIGHT' : 'STANDARD', at + before, before, after),
    ),
    'END:VTIMEZONE',
  ];
}

/** Begins at a local time that clocks show before they are changed. */
function observanceLines(
  name: 'STANDARD' | 'DAYLIGHT',
  wall: number,
  before: number,
  after: number,
): string[] {
  return [
    `BEGIN:${name}`,
    `DTSTART:${basicTime(wall)}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(after)}`,
    `END:${name}`,
  ];
}

function offsetText(offset: number): string {
  const size = Math.abs(offset) / 1_000;
  const [hours, minutes, seconds] = [size / 3_600, (size / 60) % 60, size % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}${minutes}${seconds === '00' ? '' : seconds}`;
}

/** Long lines go on in the next one after a space; never within a character. */
function folded(text: string): string {
  return text
    .split('\r\n')
    .map((line) => {
      let [result, octets] = ['', 0];
      for (const character of line) {
        const size = Buffer.byteLength(character);
        if (octets + size > LINE_OCTETS) [result, octets] = [`${result}\r\n `, 1];
        result += character;
        octets += size;
      }
      return result;
    })
    .join('\r\n');
}
