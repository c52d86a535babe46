import { expect, test } from 'vitest';
import { formattersFor } from '~/billing/formatters.server';

test.each([
  ['2026-06-16T22:00:00.000Z', '16 June 2026'],
  ['2026-03-16T23:00:00.000Z', '16 March 2026'],
])('a period that ends at %s, midnight in Paris, has the previous day as its last', (end, day) => {
  expect(formattersFor('gb', 'Asia/Tokyo').lastDay(end)).toBe(day);
});

test.each([
  ['fr', 'Europe/Paris', '5 décembre 2026 à 21:37 (heure de Paris)'],
  ['de', 'Europe/Berlin', '5. Dezember 2026 um 21:37 MEZ'],
  ['gb', 'America/New_York', '5 December 2026 at 15:37 GMT-5'],
] as const)(
  'a date and time is shown in the time zone of the account, with its name (%s)',
  (locale, zone, words) => {
    expect(formattersFor(locale, zone).dateTime('2026-12-05T20:37:00.000Z')).toBe(words);
  },
);

test('the dates of a refund are those of the seller, wherever the account is', () => {
  const { sellerDay, day } = formattersFor('gb', 'Asia/Tokyo');
  expect([sellerDay('2026-03-05T22:59:59.999Z'), sellerDay('2026-03-05T23:00:00.000Z')]).toEqual([
    '5 March 2026',
    '6 March 2026',
  ]);
  expect(day('2026-03-05T15:00:00.000Z')).toBe('6 March 2026');
});
