import { expect, test } from 'vitest';
import { HOUR_MS } from '#contract/time';
import { hoursOf, lateMinutesOf, readPeriod } from '#host/statistics/period';
import { Tally } from '#host/statistics/tally';
import { rangeOf } from '#host/statistics/visits';

const NONE = { scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 };
const NOW = new Date('2026-12-31T12:00:00Z');

function periodOf(timeZone: string, from: string, to: string) {
  return readPeriod({ from, to, timeZone, code: null, tag: null }, NOW);
}

/** A tally with one scan in each of these hours. */
function tallyOf(period: ReturnType<typeof periodOf>, ...hours: string[]) {
  const tally = new Tally(period);
  for (const hour of hours) tally.addHour(Date.parse(hour), { ...NONE, scans: 1 });
  return tally;
}

test('the first and the last hour of a period count, and those beside it do not', () => {
  const period = periodOf('Europe/Paris', '2026-03-28', '2026-03-30');
  const { days } = tallyOf(
    period,
    ...['2026-03-27T22:00:00Z', '2026-03-27T23:00:00Z'],
    ...['2026-03-30T21:00:00Z', '2026-03-30T22:00:00Z'],
  );
  expect(days.map(({ scans }) => scans)).toEqual([1, 0, 1]);
});

test('every kind of visit counts for its day, and only those of people for an hour of the day', () => {
  const tally = new Tally(periodOf('UTC', '2026-03-01', '2026-03-02'));
  const hour = { scans: 1, clicks: 2, bots: 4, previews: 8, owner: 16 };
  for (const at of ['2026-03-02T05:00:00Z', '2026-03-02T05:00:00Z']) tally.addHour(Date.parse(at), hour);
  expect(tally.days).toEqual([NONE, { scans: 2, clicks: 4, bots: 8, previews: 16, owner: 32 }]);
  expect(tally.hours).toEqual(Array.from({ length: 24 }, (_, at) => (at === 5 ? 6 : 0)));
});

test('an hour counts for its weekday in the zone, from Monday, and only with visits of people', () => {
  // A Friday to the Monday after the next.
  const period = periodOf('Europe/Paris', '2026-03-20', '2026-03-30');
  const tally = tallyOf(
    period,
    ...['2026-03-20T22:00:00Z', '2026-03-20T23:00:00Z', '2026-03-27T22:00:00Z'],
    ...['2026-03-29T22:00:00Z', '2026-03-23T00:00:00Z'],
  );
  tally.addHour(Date.parse('2026-03-24T12:00:00Z'), { ...NONE, bots: 5, owner: 5 });
  const counted = tally.weekdays.flatMap((hours, weekday) =>
    hours.flatMap((visits, hour) => (visits > 0 ? [[weekday, hour, visits]] : [])),
  );
  expect(counted).toEqual([
    [0, 0, 1],
    [0, 1, 1],
    [4, 23, 2],
    [5, 0, 1],
  ]);
  expect(tally.weekdays.map((hours) => hours.length)).toEqual(Array.from({ length: 7 }, () => 24));
});

test('in the night that the clocks skip an hour in Paris, none counts for it', () => {
  const period = periodOf('Europe/Paris', '2026-03-29', '2026-03-29');
  // 1:00, and 3:00, which follows it.
  const { hours, days } = tallyOf(period, '2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z');
  expect([hours[1], hours[2], hours[3], days[0]?.scans]).toEqual([1, 0, 1, 2]);
  expect(hoursOf(period, 0)).toBe(23);
});

test('in the night that the clocks repeat an hour in Paris, both count for it', () => {
  const period = periodOf('Europe/Paris', '2026-10-25', '2026-10-25');
  const { hours, days } = tallyOf(
    period,
    ...['2026-10-24T23:00:00Z', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'],
  );
  expect([hours[1], hours[2], hours[3], days[0]?.scans]).toEqual([1, 2, 1, 4]);
  expect(hoursOf(period, 0)).toBe(25);
});

test('a day on which clocks change by half an hour has 24½ or 23½ hours, and its minutes are late or not', () => {
  const autumn = periodOf('Australia/Lord_Howe', '2026-04-04', '2026-04-06');
  expect(autumn.dates.map((_, day) => hoursOf(autumn, day))).toEqual([24, 24.5, 24]);
  const spring = periodOf('Australia/Lord_Howe', '2026-10-04', '2026-10-04');
  expect(hoursOf(spring, 0)).toBe(23.5);
  const lateIn = (from: string, to: string) =>
    lateMinutesOf(periodOf('Australia/Lord_Howe', `2026-${from}`, `2026-${to}`));
  expect([lateIn('01-01', '04-04'), lateIn('04-05', '04-05'), lateIn('04-06', '10-03')]).toEqual([0, 30, 30]);
  expect([lateIn('10-04', '10-04'), lateIn('10-05', '12-31')]).toEqual([30, 0]);
});

test('a period that ends the year has all its days, in zones on both sides of the date line', () => {
  for (const [timeZone, startsAt] of [
    ['Pacific/Kiritimati', '2025-12-30T10:00:00Z'],
    ['Pacific/Pago_Pago', '2025-12-31T11:00:00Z'],
  ] as const) {
    const period = periodOf(timeZone, '2025-12-31', '2026-01-01');
    const day = (days: number) => new Date(Date.parse(startsAt) + days * 24 * HOUR_MS).toISOString();
    expect(period.starts.map((at) => new Date(at).toISOString())).toEqual([day(0), day(1), day(2)]);
    const { days } = tallyOf(period, day(0), day(1), day(1), day(2));
    expect(days.map(({ scans }) => scans)).toEqual([1, 2]);
  }
});

test('the first and the last day of a year are whole where they reach into another year of UTC', () => {
  const startsOf = (timeZone: string, day: string) =>
    periodOf(timeZone, day, day).starts.map((at) => new Date(at).toISOString());
  expect(startsOf('Pacific/Kiritimati', '2026-01-01')).toEqual([
    '2025-12-31T10:00:00.000Z',
    '2026-01-01T10:00:00.000Z',
  ]);
  expect(startsOf('Pacific/Pago_Pago', '2026-12-31')).toEqual([
    '2026-12-31T11:00:00.000Z',
    '2027-01-01T11:00:00.000Z',
  ]);
});

test('the hours that are read cover the local days and the UTC days, and no more', () => {
  const rangeIn = (timeZone: string) => {
    const { from, to, ...days } = rangeOf(periodOf(timeZone, '2026-03-01', '2026-03-02'));
    return [from.toISOString(), to.toISOString(), days];
  };
  expect(rangeIn('UTC')).toEqual([
    '2026-03-01T00:00:00.000Z',
    '2026-03-03T00:00:00.000Z',
    { firstDay: '2026-03-01', lastDay: '2026-03-02' },
  ]);
  expect(rangeIn('Asia/Tokyo')).toEqual([
    '2026-02-28T15:00:00.000Z',
    '2026-03-03T00:00:00.000Z',
    { firstDay: '2026-02-28', lastDay: '2026-03-02' },
  ]);
  expect(rangeIn('America/New_York')).toEqual([
    '2026-03-01T00:00:00.000Z',
    '2026-03-03T05:00:00.000Z',
    { firstDay: '2026-03-01', lastDay: '2026-03-03' },
  ]);
});

test('values and visitors count on the first and the last UTC day, and not on those beside them', () => {
  const tally = new Tally(periodOf('Asia/Tokyo', '2026-03-01', '2026-03-02'));
  for (const [day, visits] of [
    ['2026-02-28', 1],
    ['2026-03-01', 2],
    ['2026-03-02', 4],
    ['2026-03-03', 8],
  ] as const) {
    tally.addFacet(day, 'os', 'ios', visits);
    tally.addVisitors(day, visits);
    tally.addVisitors(day, 0);
  }
  expect(tally.valuesOf('os')).toEqual([{ value: 'ios', visits: 6 }]);
  expect([...tally.visitors]).toEqual([
    ['2026-03-01', 2],
    ['2026-03-02', 4],
  ]);
});

test('values with most visits come first, and equal ones in the order of their names', () => {
  const tally = new Tally(periodOf('UTC', '2026-03-01', '2026-03-01'));
  const add = (value: string, visits: number) => tally.addFacet('2026-03-01', 'os', value, visits);
  for (const value of ['windows', '', 'android', 'ios']) add(value, 2);
  add('linux', 3);
  add('ios', 2);
  expect(tally.valuesOf('os')).toEqual([
    { value: 'ios', visits: 4 },
    { value: 'linux', visits: 3 },
    ...['', 'android', 'windows'].map((value) => ({ value, visits: 2 })),
  ]);
  expect(tally.valuesOf('language')).toEqual([]);
});

test('languages that were stored by their old codes count for the current one', () => {
  const tally = new Tally(periodOf('UTC', '2026-03-01', '2026-03-01'));
  for (const value of ['iw', 'he', 'no', 'nb', 'zz', '', 'fil'])
    tally.addFacet('2026-03-01', 'language', value, 1);
  tally.addFacet('2026-03-01', 'country', 'NO', 1);
  expect(tally.valuesOf('language')).toEqual([
    ...['', 'he', 'nb'].map((value) => ({ value, visits: 2 })),
    { value: 'fil', visits: 1 },
  ]);
  expect(tally.valuesOf('country')).toEqual([{ value: 'NO', visits: 1 }]);
});
