import { expect, test } from 'vitest';
import { EXPORT_LIMIT } from '#contract/exports';
import { readRefusal, refusalText, refusedAddress } from '~/statistics/exports.server';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

function searchOf(address: string): URLSearchParams {
  return new URL(address, 'https://www.quadrille.example').searchParams;
}

test('a refused download redirects to a page that keeps the filter and knows the waiting time', () => {
  const search = searchOf(refusedAddress('?period=7&timeZone=Asia%2FTokyo', NOW));
  expect([search.get('period'), search.get('timeZone')]).toEqual(['7', 'Asia/Tokyo']);
  expect(readRefusal(search, NOW)).toBe(EXPORT_LIMIT.seconds);
  expect(readRefusal(search, later(EXPORT_LIMIT.seconds - 1))).toBe(1);
  expect(readRefusal(search, later(EXPORT_LIMIT.seconds))).toBe(0);
});

test('a forged URL does not report a refusal', () => {
  const inSeconds = (seconds: number) =>
    readRefusal(new URLSearchParams({ again: String(later(seconds).getTime() / 1000) }), NOW);
  expect([
    inSeconds(0),
    inSeconds(1),
    inSeconds(EXPORT_LIMIT.seconds + 1),
    inSeconds(EXPORT_LIMIT.seconds + 2),
  ]).toEqual([0, 1, EXPORT_LIMIT.seconds + 1, 0]);
  for (const again of ['', 'soon', '-1', 'Infinity', String(later(3600).getTime() / 1000)]) {
    expect(readRefusal(new URLSearchParams({ again }), NOW)).toBe(0);
  }
  expect(readRefusal(new URLSearchParams(), NOW)).toBe(0);
});

test('the reason states the minute from which downloads are available, in the chosen time zone', () => {
  expect(refusalText(290, 'Europe/Berlin', 'de', NOW)).toBe(
    'Sie haben in 5 Minuten 20 Dateien heruntergeladen. Die nächste können Sie ab 11:05 Uhr herunterladen.',
  );
  const timeAfter = (seconds: number) =>
    /ab (\d\d:\d\d)/.exec(refusalText(seconds, 'Europe/Berlin', 'de', NOW) ?? '')?.[1];
  expect([timeAfter(1), timeAfter(60), timeAfter(61), timeAfter(300)]).toEqual([
    '11:01',
    '11:01',
    '11:02',
    '11:05',
  ]);
  expect(refusalText(0, 'Europe/Berlin', 'de', NOW)).toBeNull();
});
