import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addBusinessDays,
  addDays,
  addMonths,
  monthsOf,
  renewalNoticeAt,
  retryAt,
  trialReminderAt,
  withdrawalEnd,
} from '#host/subscriptions/calendar';

const at = (text: string) => new Date(`${text}${text.includes('T') ? '' : 'T10:00:00.000Z'}`);
const day = (date: Date) => date.toISOString().slice(0, 10);
const dates = fc.date({ min: at('2020-01-01'), max: at('2090-12-31'), noInvalidDate: true });

test.each([
  ['2026-01-31', [1, 2, 3, 12], ['2026-02-28', '2026-03-31', '2026-04-30', '2027-01-31']],
  ['2028-01-30', [1, 2], ['2028-02-29', '2028-03-30']],
  ['2028-02-29', [12, 24, 48], ['2029-02-28', '2030-02-28', '2032-02-29']],
  ['2026-12-31', [2, 6], ['2027-02-28', '2027-06-30']],
])('periods that begin on %s keep its day', (anchor, months, expected) => {
  expect(months.map((count) => day(addMonths(at(anchor), count)))).toEqual(expected);
});

test('a period ends on the same day, or on the last of a month that has no such day, at the same time', () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: 1, max: 240 }), (anchor, months) => {
      const end = addMonths(anchor, months);
      const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
      expect(end.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDay));
      expect(end.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
      const total = anchor.getUTCFullYear() * 12 + anchor.getUTCMonth() + months;
      expect(end.getUTCFullYear() * 12 + end.getUTCMonth()).toBe(total);
    }),
  );
});

test('a refund is due after so many days that are neither Saturday nor Sunday', () => {
  expect(day(addBusinessDays(at('2026-03-06'), 1))).toBe('2026-03-09');
  expect(day(addBusinessDays(at('2026-03-07'), 1))).toBe('2026-03-09');
  expect(day(addBusinessDays(at('2026-03-02'), 10))).toBe('2026-03-16');
  expect(day(addBusinessDays(at('2026-03-02'), 0))).toBe('2026-03-02');
  fc.assert(
    fc.property(dates, fc.integer({ min: 1, max: 60 }), (start, days) => {
      const end = addBusinessDays(start, days);
      expect([0, 6]).not.toContain(end.getUTCDay());
      const between = Array.from({ length: 100 }, (_, place) => addDays(start, place + 1));
      const counted = between.filter((date) => date <= end && ![0, 6].includes(date.getUTCDay()));
      expect(counted).toHaveLength(days);
    }),
  );
});

test('a failed charge is tried four times more, within fourteen days of the first try', () => {
  const first = at('2026-03-04');
  expect([1, 2, 3, 4].map((failures) => day(retryAt(first, failures) ?? first))).toEqual([
    '2026-03-07',
    '2026-03-09',
    '2026-03-11',
    '2026-03-18',
  ]);
  expect(retryAt(first, 5)).toBeNull();
});

test('the reminder comes a day before the first charge, or half the trial before a short one', () => {
  const start = at('2026-03-02');
  expect(trialReminderAt(start, addDays(start, 30))).toEqual(addDays(start, 29));
  expect(trialReminderAt(start, addDays(start, 2))).toEqual(addDays(start, 1));
  expect(trialReminderAt(start, at('2026-03-02T12:00:00.000Z'))).toEqual(at('2026-03-02T11:00:00.000Z'));
});

test('the yearly notice falls between three months and one before the end', () => {
  fc.assert(
    fc.property(dates, (end) => {
      const notice = renewalNoticeAt(end);
      expect(notice.getTime()).toBeGreaterThan(addMonths(end, -3).getTime());
      expect(notice.getTime()).toBeLessThan(addMonths(end, -1).getTime());
    }),
  );
});

test('the time to withdraw counts whole days after the order and never ends on a weekend', () => {
  expect(withdrawalEnd(at('2026-03-02'), 14).toISOString()).toBe('2026-03-17T00:00:00.000Z');
  expect(withdrawalEnd(at('2026-03-07'), 14).toISOString()).toBe('2026-03-24T00:00:00.000Z');
  expect(withdrawalEnd(at('2026-03-08'), 14).toISOString()).toBe('2026-03-24T00:00:00.000Z');
  fc.assert(
    fc.property(dates, (order) => {
      const end = withdrawalEnd(order, 14);
      expect(end.getTime() - order.getTime()).toBeGreaterThan(14 * 86_400_000);
      expect([0, 6]).not.toContain(addDays(end, -1).getUTCDay());
    }),
  );
});

test('a plan is paid by the month or by the year', () => {
  expect(['basic_monthly', 'basic_yearly', 'monthly'].map(monthsOf)).toEqual([1, 12, 1]);
});
