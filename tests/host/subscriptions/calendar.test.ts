import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#contract/time';
import {
  addBusinessDays,
  addDays,
  addMonths,
  easterOf,
  monthsOf,
  renewalNoticeAt,
  retryAt,
  trialReminderAt,
  withdrawalEnd,
} from '#host/subscriptions/calendar';

const at = (text: string) => new Date(`${text}${text.includes('T') ? '' : 'T10:00:00.000Z'}`);
const day = (date: Date) => date.toISOString().slice(0, 10);
const parisDate = (date: Date) => date.toLocaleDateString('sv-SE', { timeZone: 'Europe/Paris' });
const parisTime = (date: Date) => date.toLocaleTimeString('sv-SE', { timeZone: 'Europe/Paris' });
/** The fixed holidays of Labour code L3133-1; Easter and its feasts are tested against published dates below. */
const CLOSED = /-(01-01|05-01|05-08|07-14|08-15|11-01|11-11|12-25)$/;
const isOpen = (date: Date) => {
  const noon = new Date(`${parisDate(date)}T12:00:00.000Z`);
  const afterEaster = Math.floor((noon.getTime() - easterOf(noon.getUTCFullYear())) / DAY_MS);
  return (
    ![0, 6].includes(noon.getUTCDay()) && !CLOSED.test(parisDate(date)) && ![1, 39, 50].includes(afterEaster)
  );
};
const dates = fc.date({ min: at('2020-01-01'), max: at('2090-12-31'), noInvalidDate: true });

test.each([
  ['2026-01-31', [1, 2, 3, 12], ['2026-02-28', '2026-03-31', '2026-04-30', '2027-01-31']],
  ['2028-01-30', [1, 2], ['2028-02-29', '2028-03-30']],
  ['2028-02-29', [12, 24, 48], ['2029-02-28', '2030-02-28', '2032-02-29']],
  ['2026-12-31', [2, 6], ['2027-02-28', '2027-06-30']],
])('periods that begin on %s keep its day', (anchor, months, expected) => {
  expect(months.map((count) => day(addMonths(at(anchor), count)))).toEqual(expected);
});

const anyTime = fc.tuple(dates, fc.integer({ min: 0, max: DAY_MS - 1 }));
const aroundMidnight = fc.tuple(dates, fc.integer({ min: -3 * HOUR_MS, max: HOUR_MS }));

test.each([
  ['any time', anyTime],
  ['around midnight in Paris', aroundMidnight],
])(
  'a period from %s ends on the same day there, or on the last of a month that has no such day',
  (_, moments) => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 240 }), ([date, ms], months) => {
        const anchor = new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS + ms);
        const end = addMonths(anchor, months);
        const [year = 0, month = 0, first = 0] = parisDate(anchor).split('-').map(Number);
        const last = new Date(Date.UTC(year, month + months, 0));
        last.setUTCDate(Math.min(first, last.getUTCDate()));
        expect(parisDate(end)).toBe(day(last));
        const sameTime = new Date(last.getTime() + (((anchor.getTime() % DAY_MS) + DAY_MS) % DAY_MS));
        const moved = Math.abs(end.getTime() - sameTime.getTime()) % DAY_MS;
        expect([0, HOUR_MS, DAY_MS - HOUR_MS]).toContain(moved);
      }),
    );
  },
);

test.each([
  ['2026-02-28T23:30:00.000Z', 1, '2026-03-31T23:30:00.000Z'],
  ['2026-04-30T22:30:00.000Z', 1, '2026-05-31T22:30:00.000Z'],
  ['2027-02-28T23:30:00.000Z', 12, '2028-02-29T23:30:00.000Z'],
  ['2026-04-30T22:30:00.000Z', 6, '2026-10-31T23:30:00.000Z'],
])('from %s, just after midnight in Paris, %i months last until %s', (anchor, months, end) => {
  expect(addMonths(at(anchor), months)).toEqual(at(end));
});

test('the days of a refund skip Saturdays, Sundays and holidays', () => {
  expect(day(addBusinessDays(at('2026-03-06'), 1))).toBe('2026-03-09');
  expect(day(addBusinessDays(at('2026-03-07'), 1))).toBe('2026-03-09');
  expect(day(addBusinessDays(at('2026-03-02'), 10))).toBe('2026-03-16');
  expect(day(addBusinessDays(at('2026-03-02'), 0))).toBe('2026-03-02');
  expect(day(addBusinessDays(at('2026-04-03'), 1))).toBe('2026-04-07');
  expect(day(addBusinessDays(at('2026-12-24'), 1))).toBe('2026-12-28');
  // Half past midnight in Paris on the Saturdays before its clocks change, in spring and in autumn.
  expect(addBusinessDays(at('2026-03-27T23:30:00.000Z'), 1)).toEqual(at('2026-03-29T23:30:00.000Z'));
  expect(addBusinessDays(at('2026-10-23T22:30:00.000Z'), 1)).toEqual(at('2026-10-26T22:30:00.000Z'));
  // Half past midnight in Paris: Saturday there, and Friday still in UTC.
  expect(day(addBusinessDays(at('2026-03-12T23:30:00.000Z'), 1))).toBe('2026-03-15');
  fc.assert(
    fc.property(dates, fc.integer({ min: 1, max: 60 }), (start, days) => {
      const end = addBusinessDays(start, days);
      expect(isOpen(end)).toBe(true);
      const between = Array.from({ length: 110 }, (_, place) => addDays(start, place + 1));
      expect(between.filter((date) => date <= end && isOpen(date))).toHaveLength(days);
    }),
    { numRuns: 30 },
  );
});

test('a failed charge is retried four times, within fourteen days of the first attempt', () => {
  const first = at('2026-03-04');
  expect([1, 2, 3, 4].map((failures) => day(retryAt(first, failures, first) ?? first))).toEqual([
    '2026-03-07',
    '2026-03-09',
    '2026-03-11',
    '2026-03-18',
  ]);
  expect(retryAt(first, 5, first)).toBeNull();
  // Planned for exactly a day later, and for a moment less, which is too soon.
  const dayBefore = at('2026-03-06');
  expect(retryAt(first, 1, dayBefore)).toEqual(at('2026-03-07'));
  expect(retryAt(first, 1, new Date(dayBefore.getTime() + 1))).toEqual(
    new Date(at('2026-03-09').getTime() + 1),
  );
});

test('a retry whose day has passed keeps its interval to the previous attempt', () => {
  const first = new Date('2026-04-02T10:00:00.000Z');
  const late = new Date('2026-04-17T10:00:00.000Z');
  const days = [1, 2, 3, 4].map((failures) => retryAt(first, failures, late)?.toISOString().slice(5, 10));
  expect(days).toEqual(['04-20', '04-19', '04-19', '04-24']);
  const lateByHours = new Date('2026-04-04T12:00:00.000Z');
  expect(retryAt(first, 1, lateByHours)?.toISOString()).toBe('2026-04-07T12:00:00.000Z');
});

test('the reminder is sent a day before the first charge, or half a short trial before it', () => {
  const start = at('2026-03-02');
  expect(trialReminderAt(start, addDays(start, 30))).toEqual(addDays(start, 29));
  expect(trialReminderAt(start, addDays(start, 2))).toEqual(addDays(start, 1));
  expect(trialReminderAt(start, at('2026-03-02T12:00:00.000Z'))).toEqual(at('2026-03-02T11:00:00.000Z'));
});

test('the yearly notice falls between three months and one before the end', () => {
  expect(renewalNoticeAt(at('2027-03-04'))).toEqual(at('2027-01-18'));
  fc.assert(
    fc.property(dates, (end) => {
      const notice = renewalNoticeAt(end);
      expect(notice.getTime()).toBeGreaterThan(addMonths(end, -3).getTime());
      expect(notice.getTime()).toBeLessThan(addMonths(end, -1).getTime());
    }),
  );
});

test.each([
  ['an ordinary Monday', '2026-03-02', '2026-03-16'],
  ['a Saturday, to the Monday', '2026-03-07', '2026-03-23'],
  ['a Sunday, to the Monday', '2026-03-08', '2026-03-23'],
  ['half past midnight in Paris, still the day before in UTC', '2026-06-01T22:30:00.000Z', '2026-06-16'],
  ['just before midnight in Paris', '2026-06-02T21:59:59.999Z', '2026-06-16'],
  ['across the spring change of clocks', '2026-03-24T23:30:00.000Z', '2026-04-08'],
  ['across the autumn change of clocks', '2026-10-15T22:30:00.000Z', '2026-10-30'],
  ['Easter Monday', '2026-03-23', '2026-04-07'],
  ['Labour Day, a Friday', '2026-04-17', '2026-05-04'],
  ['Ascension Day', '2026-04-30', '2026-05-15'],
  ['Whit Monday', '2026-05-11', '2026-05-26'],
  ['Christmas, a Friday', '2026-12-11', '2026-12-28'],
  ['the national holiday', '2026-06-30', '2026-07-15'],
])(
  'an order whose fourteenth day is %s can be withdrawn until the end of a working day',
  (_, order, last) => {
    const end = withdrawalEnd(at(order), 14);
    expect(parisDate(new Date(end.getTime() - 1))).toBe(last);
    expect(parisTime(end)).toBe('00:00:00');
  },
);

test('the time to withdraw is at least fourteen whole days in Paris and ends with a working day', () => {
  fc.assert(
    fc.property(dates, (order) => {
      const end = withdrawalEnd(order, 14);
      const last = new Date(end.getTime() - 1);
      expect(isOpen(last)).toBe(true);
      expect(parisTime(end)).toBe('00:00:00');
      const wholeDays = (Date.parse(parisDate(last)) - Date.parse(parisDate(order))) / DAY_MS;
      expect(wholeDays).toBeGreaterThanOrEqual(14);
      // Every day in between is a day off, and no run of days off is longer than four.
      for (let days = 14; days < wholeDays; days += 1) {
        expect(isOpen(new Date(Date.parse(parisDate(order)) + days * DAY_MS + DAY_MS / 2))).toBe(false);
      }
      expect(wholeDays).toBeLessThanOrEqual(18);
    }),
    { numRuns: 60 },
  );
});

test.each([
  [2024, '2024-03-31'],
  [2025, '2025-04-20'],
  [2026, '2026-04-05'],
  [2027, '2027-03-28'],
  [2038, '2038-04-25'],
  [2049, '2049-04-18'],
  [2076, '2076-04-19'],
  [2285, '2285-03-22'],
])('Easter of %i is on %s', (year, date) => {
  expect(day(new Date(easterOf(year)))).toBe(date);
});

test('a plan is paid monthly or yearly', () => {
  expect(['basic_monthly', 'basic_yearly', 'monthly'].map(monthsOf)).toEqual([1, 12, 1]);
});
