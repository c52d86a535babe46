import { expect, test } from 'vitest';
import { wordingOf } from '~/billing/wording.server';

test.each([
  ['2026-06-16T22:00:00.000Z', '16 June 2026'],
  ['2026-03-16T23:00:00.000Z', '16 March 2026'],
])('what ends at %s, midnight in Paris, is good for the day before', (end, day) => {
  expect(wordingOf('gb').lastDay(end)).toBe(day);
});
