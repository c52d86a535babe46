import { expect, test } from 'vitest';
import { relativeTime } from '~/ui/format';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

const wordings: [seconds: number, words: string][] = [
  [0, 'now'],
  [59, 'now'],
  [60, '1 minute ago'],
  [119, '1 minute ago'],
  [3599, '59 minutes ago'],
  [2 * 3600, '2 hours ago'],
  [24 * 3600, '1 day ago'],
  // On the day before yesterday, in the week before the last, and in the year before the last.
  [36 * 3600, '1 day ago'],
  [6 * 24 * 3600, '6 days ago'],
  [13 * 24 * 3600, '1 week ago'],
  [29 * 24 * 3600, '4 weeks ago'],
  [31 * 24 * 3600, '1 month ago'],
  [364 * 24 * 3600, '12 months ago'],
  [441 * 24 * 3600, '1 year ago'],
];

test.each(wordings)('%i seconds ago reads "%s"', (seconds, words) => {
  expect(relativeTime(before(seconds), NOW, 'en-GB')).toBe(words);
});

test('a time slightly in the future is shown as now', () => {
  expect(relativeTime(before(-90), NOW, 'en-GB')).toBe('now');
});

test('each language has its own texts', () => {
  const at = before(3 * 3600).toISOString();
  expect(['fr', 'es', 'de', 'it'].map((tag) => relativeTime(at, NOW, tag))).toEqual([
    'il y a 3 heures',
    'hace 3 horas',
    'vor 3 Stunden',
    '3 ore fa',
  ]);
});
