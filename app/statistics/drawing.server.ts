import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { area, line, stack } from 'd3-shape';
import { utcDay } from '#contract/time';
import type { Bucket } from './buckets.server';
import type { Columns, Lines, SeriesName, Steps, Tick } from './chart-data';
import type { Words } from './wording.server';

const STEPS_UP = 4;
/** Labels that fit side by side on a wide page; every second one is shown only there. */
const LABELS_ACROSS = 8;
/** With more columns than this, gaps are narrower: wide ones would flicker. */
const COLUMNS_WITH_GAPS = 40;
/** Larger numbers are shown in thousands and millions. */
const LONGEST_WHOLE = 9_999;

/** Stacked columns. Counts are non-negative whole numbers. */
export function drawColumns<Name extends SeriesName>(
  buckets: (Record<Name, number> & { isUnfinished?: boolean })[],
  names: readonly Name[],
  x: Tick[],
  words: Words,
): Columns {
  const stacks = stack<Record<Name, number>, Name>()
    .keys([...names])
    .value((bucket, name) => bucket[name])(buckets);
  const up = scaleUp(stacks.at(-1)?.map(([, top]) => top) ?? []);
  const across = scaleAcross(buckets.length);
  const width = rounded(across.bandwidth());
  const series = stacks.map((columns) => ({
    name: columns.key,
    bars: columns.flatMap(([bottom, top], position) => {
      if (top <= bottom) return [];
      const [y, foot] = [up(top), up(bottom)];
      const bar = { x: rounded(across(position) ?? 0), y: rounded(y), width, height: rounded(foot - y) };
      return [{ ...bar, ...(buckets[position]?.isUnfinished && { isUnfinished: true as const }) }];
    }),
  }));
  return { kind: 'columns', series, x, y: ticksUp(up, words) };
}

/** One series as the outline of its columns, the last of which may be unfinished. */
export function drawSteps(values: number[], isLastUnfinished: boolean, x: Tick[], words: Words): Steps {
  const up = scaleUp(values);
  const side = 100 / Math.max(values.length, 1);
  const corners = values.flatMap((value, position): [number, number][] => [
    [rounded(position * side), rounded(up(value))],
    [rounded((position + 1) * side), rounded(up(value))],
  ]);
  const finished = isLastUnfinished ? corners.slice(0, -2) : corners;
  return {
    kind: 'steps',
    line: line()(finished) ?? '',
    area: area<[number, number]>().y0(100)(finished) ?? '',
    // Begins where the finished days end.
    unfinished: isLastUnfinished ? line()(corners.slice(-3)) : null,
    x,
    y: ticksUp(up, words),
  };
}

/** Lines of the same number of days, by the number of the day; without a last one that is not over. */
export function drawLines(
  columns: { letter: string; name: string; values: number[]; isUnfinished: boolean }[],
  words: Words,
): Lines {
  const up = scaleUp(columns.flatMap(({ values }) => values));
  const days = columns[0]?.values.length ?? 0;
  const middle = (position: number) => rounded((100 * (position + 0.5)) / days);
  const step = Math.max(1, Math.round(days / LABELS_ACROSS));
  const labelled = Array.from({ length: days }, (_, position) => position).filter((at) => at % step === 0);
  return {
    kind: 'lines',
    lines: columns.map(({ letter, name, values, isUnfinished }) => {
      const drawn = isUnfinished ? values.slice(0, -1) : values;
      const points = drawn.map((value, at): [number, number] => [middle(at), rounded(up(value))]);
      const [x, y] = points.at(-1) ?? [100, 100];
      return { letter, name, path: line()(points) ?? '', end: { x, y } };
    }),
    x: labelled.map((at, count) => tick(middle(at), words.number(at + 1), count)),
    y: ticksUp(up, words),
  };
}

/** Labels below the columns: days, first days of weeks or months, and years in January. */
export function ticksAcross(buckets: Bucket[], words: Words): Tick[] {
  const across = scaleAcross(buckets.length);
  const middle = (position: number) => rounded((across(position) ?? 0) + across.bandwidth() / 2);
  if (buckets.length <= LABELS_ACROSS) {
    return buckets.map(({ from }, position) => tick(middle(position), words.shortDay(from), position));
  }
  const dates = scaleUtc()
    .domain([new Date(buckets[0]?.from ?? 0), new Date(buckets.at(-1)?.to ?? 0)])
    .ticks(LABELS_ACROSS)
    .map(utcDay);
  const areMonths = dates.every((date) => date.endsWith('-01'));
  const step = Math.ceil(dates.length / LABELS_ACROSS);
  const newYear = dates.findIndex((date) => date.endsWith('-01-01'));
  const kept = dates.filter((_, count) => (count - newYear) % step === 0);
  return kept.flatMap((date, count) => {
    const position = buckets.findIndex(({ from, to }) => from <= date && date <= to);
    if (position < 0) return [];
    const month = date.includes('-01-') ? date.slice(0, 4) : words.month(date);
    return [tick(middle(position), areMonths ? month : words.shortDay(date), count)];
  });
}

/** Labels for every third hour of a day. */
export function ticksOfHours(words: Words): Tick[] {
  const across = scaleAcross(24);
  return [0, 3, 6, 9, 12, 15, 18, 21].map((hour, count) =>
    tick(rounded((across(hour) ?? 0) + across.bandwidth() / 2), words.hour(hour), count),
  );
}

function tick(at: number, label: string, count: number): Tick {
  return { at, label, ...(count % 2 === 1 && { minor: true }) };
}

function scaleAcross(count: number) {
  return scaleBand<number>()
    .domain(Array.from({ length: count }, (_, position) => position))
    .range([0, 100])
    .paddingInner(count <= COLUMNS_WITH_GAPS ? 0.25 : 0.1)
    .paddingOuter(count <= COLUMNS_WITH_GAPS ? 0.125 : 0.05);
}

/** Ends at a round number above the highest value, with at least a few whole steps. */
function scaleUp(values: number[]) {
  const highest = values.reduce((most, value) => Math.max(most, value), STEPS_UP);
  return scaleLinear().domain([0, highest]).nice(STEPS_UP).range([100, 0]);
}

function ticksUp(up: ReturnType<typeof scaleUp>, words: Words): Tick[] {
  const values = up.ticks(STEPS_UP);
  const isLong = values.some((value) => value > LONGEST_WHOLE);
  return values.map((value) => ({
    at: rounded(up(value)),
    label: isLong ? words.compact(value) : words.number(value),
  }));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
