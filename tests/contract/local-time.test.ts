import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { localText, localTimeOf, momentOf, weekdayOf } from '#contract/local-time';
import { DAY_MS } from '#contract/time';

const ZONES = Intl.supportedValuesOf('timeZone');
const zone = fc.constantFrom(...ZONES);
const moment = fc
  .integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2037, 11, 31) })
  .map((at) => Math.floor(at / 1_000) * 1_000);

/** Hours around the changes of a zone's clocks, where mistakes show. */
function changesOf(timeZone: string, year: number): number[] {
  const changes: number[] = [];
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += DAY_MS) {
    const [today, tomorrow] = [at, at + DAY_MS].map(
      (ms) => DateTime.fromMillis(ms, { zone: timeZone }).offset,
    );
    if (today !== tomorrow) changes.push(at);
  }
  return changes;
}

function expectSame(timeZone: string, at: number): void {
  const shown = DateTime.fromMillis(at, { zone: timeZone });
  const { day, minutes } = localTimeOf(timeZone, at);
  expect({ timeZone, at, minutes, weekday: weekdayOf(day), text: localText(timeZone, at) }).toEqual({
    timeZone,
    at,
    minutes: shown.hour * 60 + shown.minute,
    weekday: shown.weekday,
    text: shown.toFormat("yyyy-MM-dd'T'HH:mm"),
  });
}

test('at any time in any zone the clocks show what luxon says', () => {
  fc.assert(
    fc.property(zone, moment, (timeZone, at) => expectSame(timeZone, at)),
    { numRuns: 3_000 },
  );
});

test.each([
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Africa/Casablanca',
])('around every change of the clocks in %s, too', (timeZone) => {
  for (const change of [2021, 2026, 2031].flatMap((year) => changesOf(timeZone, year))) {
    for (let at = change; at < change + DAY_MS; at += 15 * 60_000 - 1_000) expectSame(timeZone, at);
  }
});

test('what the clocks show leads back to the moment, and to the first one if they show it twice', () => {
  fc.assert(
    fc.property(zone, moment, (timeZone, at) => {
      const minute = Math.floor(at / 60_000) * 60_000;
      const found = momentOf(timeZone, localText(timeZone, minute));
      expect(localText(timeZone, found ?? 0)).toBe(localText(timeZone, minute));
      expect(found).toBeLessThanOrEqual(minute);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
  // Skipped: as if the clocks had not been put forward.
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  // Shown twice.
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['Pacific/Apia', '2026-01-01T00:00', '2025-12-31T11:00:00.000Z'],
  ['UTC', '2026-12-31T23:59', '2026-12-31T23:59:00.000Z'],
  ['UTC', '9999-12-31T23:59', '9999-12-31T23:59:00.000Z'],
  ['UTC', '1000-01-01T00:00', '1000-01-01T00:00:00.000Z'],
])('in %s, %s is %s', (timeZone, local, moment) => {
  expect(new Date(momentOf(timeZone, local) ?? 0).toISOString()).toBe(moment);
});

test.each([
  '',
  '2026-02-30T10:00',
  '2026-13-01T10:00',
  '2026-03-02 10:00',
  '2026-03-02T25:00',
  '2026-03-02T10:00:00',
  '0000-12-01T19:30',
  '0026-12-01T19:30',
  '0099-12-31T23:59',
  '0999-12-31T23:59',
])('%j is no date and time', (local) => {
  expect(momentOf('Europe/Paris', local)).toBeNull();
});

test('a moment whose year in UTC has five digits is none', () => {
  expect(momentOf('America/New_York', '9999-12-31T23:59')).toBeNull();
  expect(momentOf('America/New_York', '9999-12-31T18:59')).toBe(Date.parse('9999-12-31T23:59Z'));
});

test('in the first centuries clocks show the time of their place, in the same year', () => {
  for (const year of ['0001', '0026', '0099', '0100'])
    expect(localText('Europe/Paris', Date.parse(`${year}-12-01T19:30:00Z`))).toBe(`${year}-12-01T19:39`);
});
