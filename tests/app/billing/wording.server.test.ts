import { expect, test } from 'vitest';
import { wordingOf } from '~/billing/wording.server';

test.each([
  ['2026-06-16T22:00:00.000Z', '16 June 2026'],
  ['2026-03-16T23:00:00.000Z', '16 March 2026'],
])('what ends at %s, midnight in Paris, is good for the day before', (end, day) => {
  expect(wordingOf('gb').lastDay(end)).toBe(day);
});

test.each([
  ['fr', '2026-12-05T20:37:00.000Z', '5 décembre 2026 à 21:37 (heure de Paris)'],
  ['de', '2026-12-05T20:37:00.000Z', '5. Dezember 2026 um 21:37 MEZ'],
] as const)('a moment names its zone as people do (%s)', (locale, at, words) => {
  expect(wordingOf(locale).moment(at)).toBe(words);
});
