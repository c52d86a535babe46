import { expect, test } from 'vitest';
import { bucketsOf } from '~/statistics/buckets.server';
import { drawColumns, drawSteps, ticksAcross, ticksOfHours } from '~/statistics/drawing.server';
import { english, sampleDays } from './sample-days';

const PEOPLE = ['scans', 'clicks'] as const;

function drawn(length: number, count: (position: number) => number) {
  const buckets = bucketsOf(sampleDays('2026-01-01', length, count), PEOPLE, '2099-01-01');
  return drawColumns(buckets, PEOPLE, ticksAcross(buckets, english), english);
}

test('columns stay within the plot, with one series stacked on the other', () => {
  const { series } = drawn(30, (position) => position * 3);
  const [scans, clicks] = series.map(({ bars }) => bars);
  for (const { x, y, width, height } of [...(scans ?? []), ...(clicks ?? [])]) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(100.01);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(100.01);
  }
  for (const click of clicks ?? []) {
    const below = scans?.find(({ x }) => x === click.x);
    expect(click.y + click.height).toBeCloseTo(below?.y ?? Number.NaN, 1);
  }
});

test('a day without visits has no bar', () => {
  const { series } = drawn(3, (position) => (position === 1 ? 8 : 0));
  expect(series.map(({ bars }) => bars.length)).toEqual([1, 1]);
});

test('the scale starts at zero, ends at or above the highest column and has whole numbers', () => {
  const labels = (highest: number) =>
    drawn(7, (position) => (position === 3 ? highest : 0)).y.map(({ label }) => label);
  expect(labels(0)).toEqual(['0', '1', '2', '3', '4']);
  expect(labels(1)).toEqual(['0', '1', '2', '3', '4']);
  expect(labels(61)).toEqual(['0', '20', '40', '60', '80']);
  expect(labels(7_900)).toEqual(['0', '2,000', '4,000', '6,000', '8,000']);
  expect(labels(9_900)).toEqual(['0', '2k', '4k', '6k', '8k', '10k']);
  expect(labels(123_456_789).at(-1)).toBe('150m');
});

test('the labels of the scale are at the height of their values', () => {
  const { y } = drawn(7, () => 80);
  expect(y[0]).toMatchObject({ at: 100, label: '0' });
  expect(y.at(-1)).toMatchObject({ at: 0, label: '80' });
});

test('a single day is one column across the whole plot', () => {
  const { series, x } = drawn(1, () => 3);
  expect(series[0]?.bars).toHaveLength(1);
  expect(series[0]?.bars[0]?.width).toBeGreaterThan(50);
  expect(x.map(({ label }) => label)).toEqual(['1 Jan']);
});

test('a week has a label per day, a year has labels for months and the year', () => {
  expect(drawn(7, () => 1).x.map(({ label }) => label)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((day) => `${day} Jan`),
  );
  const year = bucketsOf(
    sampleDays('2025-11-21', 365, () => 1),
    PEOPLE,
    '2099-01-01',
  );
  const labels = ticksAcross(year, english).map(({ label }) => label);
  expect(labels).toContain('2026');
  expect(labels).toContain('Mar');
  expect(labels.length).toBeLessThanOrEqual(8);
});

test('up to eight columns have a label each, and nine only some', () => {
  const labels = (length: number) => drawn(length, () => 1).x.map(({ label }) => label);
  expect(labels(8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((day) => `${day} Jan`));
  expect(labels(9).length).toBeLessThanOrEqual(9);
  expect(drawn(8, () => 1).x.map(({ minor }) => minor ?? false)).toEqual(
    Array.from({ length: 8 }, (_, position) => position % 2 === 1),
  );
});

test('labels of a month and of a quarter are below their own days', () => {
  const labelled = (length: number) => {
    const { x, series } = drawn(length, () => 4);
    return x.map(({ label, at }) => {
      const day = series[0]?.bars.findIndex((bar) => at > bar.x && at < bar.x + bar.width);
      return [label, day];
    });
  };
  expect(labelled(30)).toEqual([1, 5, 9, 13, 17, 21, 25, 29].map((day) => [`${day} Jan`, day - 1]));
  const quarter = labelled(90);
  expect(quarter.length).toBeGreaterThanOrEqual(4);
  const dateOf = (day = -1) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
  expect(quarter.map(([label]) => label)).toEqual(
    quarter.map(([, day]) => english.shortDay(dateOf(Number(day)))),
  );
});

test('a label is below the middle of its column', () => {
  const { series, x } = drawn(4, () => 4);
  const middles = series[0]?.bars.map((bar) => bar.x + bar.width / 2) ?? [];
  expect(middles).toHaveLength(4);
  for (const [position, middle] of middles.entries()) expect(x[position]?.at).toBeCloseTo(middle, 1);
});

test('gaps are a quarter of a column’s place up to forty columns, and a tenth with more', () => {
  const shareOfPlace = (length: number) =>
    ((drawn(length, () => 4).series[0]?.bars[0]?.width ?? 0) * length) / 100;
  expect(shareOfPlace(40)).toBeCloseTo(0.75, 2);
  expect(shareOfPlace(41)).toBeCloseTo(0.9, 2);
});

test('numbers up to 9,999 are written out, and from 10,000 on abbreviated', () => {
  const labels = (highest: number) => drawn(1, () => highest).y.map(({ label }) => label);
  expect(labels(8_000).at(-1)).toBe('8,000');
  expect(labels(8_001).at(-1)).toBe('10k');
});

test('half of the labels can be hidden on narrow screens', () => {
  const { x } = drawn(90, () => 1);
  expect(x.filter(({ minor }) => !minor).length).toBeLessThanOrEqual(4);
  expect(x[0]?.minor).toBeUndefined();
  expect(ticksOfHours(english).map(({ label, minor }) => (minor ? '' : label))).toEqual([
    '00:00',
    '',
    '06:00',
    '',
    '12:00',
    '',
    '18:00',
    '',
  ]);
});

test('steps run from edge to edge, even with a single value, and start at zero', () => {
  const { line, area } = drawSteps([4], false, [], english);
  expect(line).toBe('M0,0L100,0');
  expect(area).toBe('M0,0L100,0L100,100L0,100Z');
  expect(drawSteps([], false, [], english).line).toBe('');
});

test('huge numbers are drawn like small numbers', () => {
  const small = drawn(30, (position) => 4 * (position + 1));
  const huge = drawn(30, (position) => 4_000_000 * (position + 1));
  expect(huge.series).toEqual(small.series);
});
