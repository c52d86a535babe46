import fc from 'fast-check';
import ICAL from 'ical.js';
import { DateTime, IANAZone } from 'luxon';
import { expect, test } from 'vitest';
import { checkContent, compose, contentLine, payloadOf } from '#contract/contents/contents';
import type { EventParts } from '#contract/contents/event';
import { readTimes } from '#contract/contents/event-times';
import { listTransitions } from '#contract/contents/zoned-times';
import { composeCalendar } from '#host/codes/contents/calendar';

const NOW = new Date('2026-03-02T10:00:00Z');
const ID = '0c6f4d53-5f8e-4f5e-9b29-2b7a3f0f7d11';
const event = (parts: EventParts) => ({
  type: 'event' as const,
  content: '',
  eventTitle: 'Opening',
  ...parts,
});
const NIGHT: EventParts = {
  startDate: '2026-12-31',
  startTime: '22:00',
  endTime: '02:00',
  timeZone: 'Europe/Paris',
};

/** The file of an event. */
function fileOf(entered: EventParts): string {
  const parts = JSON.parse(compose(event(entered)).content) as EventParts;
  const times = readTimes(parts);
  if (!times) throw new Error('no valid event');
  return composeCalendar({ id: ID, parts, times, now: NOW });
}

/** What another program reads from a file, with the rules of the zone from that file. */
function readBack(file: string) {
  const calendar = new ICAL.Component(ICAL.parse(file) as unknown as unknown[]);
  const zoneData = calendar.getFirstSubcomponent('vtimezone');
  const zone = zoneData ? new ICAL.Timezone(zoneData) : undefined;
  const found = new ICAL.Event(calendar.getFirstSubcomponent('vevent') ?? undefined);
  const instantOf = (time: ICAL.Time) => {
    if (zone && time.zone !== ICAL.Timezone.utcTimezone) time.zone = zone;
    return time.toUnixTime() * 1_000;
  };
  return { found, from: instantOf(found.startDate), to: instantOf(found.endDate) };
}

test('an event over midnight has its zone with the rules around it, and CRLF', () => {
  const file = fileOf({
    ...NIGHT,
    venue: 'Café, 12',
    description: 'Dress; warm\nand bring',
    eventPage: 'example.com',
  });
  expect(file).toContain('BEGIN:VTIMEZONE\r\nTZID:Europe/Paris\r\n');
  expect(file).toContain(
    'BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\n',
  );
  expect(file).toContain(
    'BEGIN:STANDARD\r\nDTSTART:20261025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\n',
  );
  expect(file).toContain(
    'DTSTART;TZID=Europe/Paris:20261231T220000\r\nDTEND;TZID=Europe/Paris:20270101T020000\r\n',
  );
  expect(file).toContain(`UID:${ID}\r\nDTSTAMP:20260302T100000Z\r\n`);
  expect(file).toContain(
    'LOCATION:Café\\, 12\r\nDESCRIPTION:Dress\\; warm\\nand bring\r\nURL:https://example.com\r\n',
  );
  expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  const { found, from, to } = readBack(file);
  expect([new Date(from).toISOString(), new Date(to).toISOString()]).toEqual([
    '2026-12-31T21:00:00.000Z',
    '2027-01-01T01:00:00.000Z',
  ]);
  expect([found.summary, found.location, found.description]).toEqual([
    'Opening',
    'Café, 12',
    'Dress; warm\nand bring',
  ]);
});

test('an event without times takes all day, until the day after its last one', () => {
  const file = fileOf({ startDate: '2028-02-28', endDate: '2028-02-29', timeZone: 'Europe/Paris' });
  expect(file).toContain('DTSTART;VALUE=DATE:20280228\r\nDTEND;VALUE=DATE:20280301\r\n');
  expect(file).not.toContain('VTIMEZONE');
  const one = new ICAL.Component(ICAL.parse(fileOf({ startDate: '2026-12-31' })) as unknown as unknown[]);
  const { startDate, endDate } = new ICAL.Event(one.getFirstSubcomponent('vevent') ?? undefined);
  expect([startDate.isDate, startDate.toString(), endDate.toString()]).toEqual([
    true,
    '2026-12-31',
    '2027-01-01',
  ]);
});

test('an image that holds the event has its instants in UTC', () => {
  expect(payloadOf(event(NIGHT))).toBe(
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART:20261231T210000Z\r\nDTEND:20270101T010000Z\r\nSUMMARY:Opening\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  );
  expect(payloadOf(event({ timeZone: 'Europe/Paris' }))).toBe('');
  expect(contentLine({ type: 'event', content: compose(event(NIGHT)).content })).toBe('Opening, 2026-12-31');
});

test.each([{ endTime: '' }, { endTime: '22:00' }])('no end is written at the start: %j', (end) => {
  const times = { ...NIGHT, ...end };
  expect(payloadOf(event(times))).toContain('DTSTART:20261231T210000Z\r\nSUMMARY:');
  expect(fileOf(times)).not.toContain('DTEND');
});

test.each<[string, EventParts, string, string]>([
  [
    'a skipped time is what clocks show that were not set forward',
    { startDate: '2026-03-29', startTime: '02:30' },
    ';TZID=Europe/Paris:20260329T033000',
    '2026-03-29T01:30:00.000Z',
  ],
  [
    'a time that occurs twice is the first one, in UTC',
    { startDate: '2026-10-25', startTime: '02:30' },
    ':20261025T003000Z',
    '2026-10-25T00:30:00.000Z',
  ],
])('%s', (_, times, local, instant) => {
  const file = fileOf({ ...times, timeZone: 'Europe/Paris' });
  expect(file).toContain(`DTSTART${local}\r\n`);
  const read = readTimes({ ...times, timeZone: 'Europe/Paris' });
  expect(read && !read.isAllDay && new Date(read.from).toISOString()).toBe(instant);
});

test.each<[EventParts, { field: string; code: string }[]]>([
  [{}, [{ field: 'startDate', code: 'date_required' }]],
  [{ eventTitle: ' ', startDate: '2026-05-01' }, [{ field: 'eventTitle', code: 'event_title_required' }]],
  [{ startDate: '2026-02-30' }, [{ field: 'startDate', code: 'date_invalid' }]],
  [{ startDate: '1.5.2026' }, [{ field: 'startDate', code: 'date_invalid' }]],
  [{ startDate: '1999-12-31' }, [{ field: 'startDate', code: 'date_invalid' }]],
  [{ ...NIGHT, startTime: '24:00' }, [{ field: 'startTime', code: 'time_invalid' }]],
  [{ ...NIGHT, timeZone: 'Europe/Atlantis' }, [{ field: 'timeZone', code: 'time_zone_invalid' }]],
  [{ ...NIGHT, timeZone: '' }, [{ field: 'timeZone', code: 'time_zone_invalid' }]],
  [{ startDate: '2026-05-01', endTime: '10:00' }, [{ field: 'startTime', code: 'start_time_required' }]],
  [{ ...NIGHT, endTime: '', endDate: '2027-01-01' }, [{ field: 'endTime', code: 'end_time_required' }]],
  [{ ...NIGHT, endDate: '2026-12-31' }, [{ field: 'endDate', code: 'end_before_start' }]],
  [{ startDate: '2026-05-02', endDate: '2026-05-01' }, [{ field: 'endDate', code: 'end_before_start' }]],
  [{ ...NIGHT, venue: 'x'.repeat(101) }, [{ field: 'venue', code: 'part_too_long' }]],
  [{ ...NIGHT, eventPage: 'mailto:a@b.example' }, [{ field: 'eventPage', code: 'link_invalid' }]],
])('%j is refused', (parts, problems) => {
  expect(checkContent(event(parts))).toEqual(problems);
});

const zones = Intl.supportedValuesOf('timeZone');
const local = fc
  .record({
    zone: fc.constantFrom(...zones),
    minutes: fc.integer({ min: 0, max: 40 * 366 * 24 * 60 }),
    length: fc.integer({ min: 0, max: 3 * 24 * 60 }),
  })
  .map(({ zone, minutes, length }) => {
    const textOf = (add: number) => new Date(Date.UTC(2000, 0, 1) + (minutes + add) * 60_000).toISOString();
    const [start, end] = [textOf(0), textOf(length)];
    return {
      startDate: start.slice(0, 10),
      startTime: start.slice(11, 16),
      endDate: end.slice(0, 10),
      endTime: end.slice(11, 16),
      timeZone: zone,
    };
  });

/** Three hours around a change of the clocks. */
const aroundChange = fc
  .record({
    zone: fc.constantFrom(...zones),
    year: fc.integer({ min: 2000, max: 2040 }),
    minutes: fc.integer({ min: -180, max: 180 }),
  })
  .map(({ zone, year, minutes }) => {
    const [change] = listTransitions(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1), zone);
    const at = (change?.at ?? Date.UTC(year, 5, 1)) + (change?.before ?? 0) + minutes * 60_000;
    const text = new Date(at).toISOString();
    const [date, time] = [text.slice(0, 10), text.slice(11, 16)];
    return { startDate: date, startTime: time, endDate: date, endTime: time, timeZone: zone };
  });

/** The first instant at which clocks of a zone show a time, or that of a clock not set forward; by another library. */
function expectedInstant(date: string, time: string, zone: string): number {
  const wall = Date.parse(`${date}T${time}Z`);
  const around = [-26, 26].map((hours) => IANAZone.create(zone).offset(wall + hours * 3_600_000) * 60_000);
  const shows = (instant: number) =>
    DateTime.fromMillis(instant, { zone }).toFormat("yyyy-MM-dd'T'HH:mm") === `${date}T${time}`;
  const found = around.map((offset) => wall - offset).filter(shows);
  return found.length > 0 ? Math.min(...found) : wall - (around[0] ?? 0);
}

test('in every zone and year, a calendar that knows only the file finds the same instants as luxon', () => {
  let checked = 0;
  fc.assert(
    fc.property(fc.oneof(local, aroundChange), (entered) => {
      if (checkContent(event(entered)).length > 0) return;
      checked += 1;
      const { startDate, startTime, endDate, endTime, timeZone } = entered;
      const times = readTimes(entered);
      if (!times || times.isAllDay) throw new Error('not read');
      expect(times.from).toBe(expectedInstant(startDate, startTime, timeZone));
      expect(times.to).toBe(expectedInstant(endDate, endTime, timeZone));
      const { from, to } = readBack(fileOf(entered));
      expect([from, to]).toEqual([times.from, times.to]);
    }),
    { numRuns: 600 },
  );
  expect(checked).toBeGreaterThan(400);
}, 60_000);

test('lines have 75 octets at most, cut between characters, and read as one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 30, maxLength: 90 }), (description) => {
      const entered = { ...NIGHT, description: description.replace(/\p{Surrogate}/gu, '') };
      const file = fileOf(entered);
      for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
      expect(Buffer.from(file).toString('utf8')).toBe(file);
      const kept = JSON.parse(compose(event(entered)).content) as EventParts;
      expect(readBack(file).found.description ?? undefined).toBe(kept.description);
    }),
  );
});
