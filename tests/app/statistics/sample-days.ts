import { wordsOf } from '~/statistics/wording.server';

export const english = wordsOf('gb');

/** Consecutive days from a date; `count` gives the visits by position. */
export function sampleDays(from: string, length: number, count: (position: number) => number) {
  return Array.from({ length }, (_, position) => {
    const day = new Date(Date.parse(from) + position * 86_400_000).toISOString().slice(0, 10);
    const clicks = Math.floor(count(position) / 4);
    const scans = count(position) - clicks;
    return { day, hours: 24, scans, clicks, bots: position % 3, previews: 1, owner: 0 };
  });
}
