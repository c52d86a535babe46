import { expect, test } from 'vitest';
import { bucketsOf } from '~/statistics/buckets.server';
import { sampleDays } from './sample-days';

const days = (length: number) =>
  bucketsOf(
    sampleDays('2025-11-21', length, () => 2),
    ['scans'],
    '2027-01-01',
  );

test('up to four months, each day is its own bucket', () => {
  expect(days(0)).toEqual([]);
  expect(days(1)).toEqual([{ from: '2025-11-21', to: '2025-11-21', days: 1, isUnfinished: false, scans: 2 }]);
  expect(days(120)).toHaveLength(120);
});

test('a year becomes whole weeks, the first including the remaining days', () => {
  const weeks = days(365);
  expect(weeks).toHaveLength(52);
  expect(weeks[0]).toEqual({ from: '2025-11-21', to: '2025-11-28', days: 8, isUnfinished: false, scans: 16 });
  expect(weeks.at(-1)).toEqual({
    from: '2026-11-14',
    to: '2026-11-20',
    days: 7,
    isUnfinished: false,
    scans: 14,
  });
});

test('a remainder of half a week or more is its own bucket', () => {
  expect(days(123).map(({ days }) => days)).toEqual([4, ...Array.from({ length: 17 }, () => 7)]);
});

test.each([
  [121, [9, 16]],
  [122, [10, 16]],
  [124, [5, 17]],
  [125, [6, 17]],
  [126, [7, 17]],
  [366, [9, 51]],
])('%i days are a first bucket, and weeks after it: %j', (length, [first, weeks]) => {
  const pieces = days(length);
  expect(pieces.map(({ days }) => days)).toEqual([first, ...Array.from({ length: weeks ?? 0 }, () => 7)]);
  for (const [position, { from }] of pieces.slice(1).entries())
    expect(Date.parse(from) - Date.parse(pieces[position]?.to ?? '')).toBe(86_400_000);
});

test('a week that ends today is unfinished, and those before are not', () => {
  const weeks = (today: string) =>
    bucketsOf(
      sampleDays('2026-01-01', 126, () => 1),
      ['scans'],
      today,
    ).map(({ isUnfinished }) => isUnfinished);
  expect(weeks('2026-05-06')).toEqual([...Array.from({ length: 17 }, () => false), true]);
  expect(weeks('2026-05-07')).not.toContain(true);
});

test('every day is in exactly one bucket', () => {
  for (const length of [119, 120, 121, 122, 124, 126, 200, 365, 366]) {
    const pieces = days(length);
    expect(pieces.reduce((sum, { scans }) => sum + scans, 0)).toBe(length * 2);
    expect(pieces.reduce((sum, { days }) => sum + days, 0)).toBe(length);
  }
});

test('a bucket that ends today is unfinished', () => {
  const from = (today: string) =>
    bucketsOf(
      sampleDays('2026-03-01', 3, () => 1),
      ['scans'],
      today,
    ).map(({ isUnfinished }) => isUnfinished);
  expect(from('2026-03-03')).toEqual([false, false, true]);
  expect(from('2026-03-04')).toEqual([false, false, false]);
});
