/** Whole weeks that a day is compared with. */
const WEEKS = 8;
const WINDOW = WEEKS * 7;
/** For how many days after a finding the same one is no news. */
const EPISODE_DAYS = 7;
/** How many days before the day in question are read. */
export const HISTORY_DAYS = WINDOW + EPISODE_DAYS;
/** With fewer visits in the eight weeks, one a day, nothing is usual. */
export const LEAST_VISITS = WINDOW;

/** A rise has at least so many times the expected visits, a fall at most the inverse. */
const FACTOR = 2;
/** The difference in visits. */
const LEAST_DIFFERENCE = 10;
/** The differences in standard deviations; high counts occur by chance more easily than low ones. */
const LIMIT = { rise: 5.3, fall: 4.6 };
/** Of how many days the level is taken that the weekdays are scaled with, so that a trend is no event. */
const LEVEL_DAYS = 21;
/** Days that differ most are left out where the usual spread is measured: they may be events themselves. */
const LEFT_OUT = 2;

export interface Unusual {
  direction: 'rise' | 'fall';
  visits: number;
  /** For this weekday, rounded. */
  expected: number;
}

interface Day {
  count: number;
  /** For its weekday. */
  usual: number;
}

/**
 * What is new and unusual about the last of these daily counts, which has `HISTORY_DAYS` before it; null if it is as
 * expected, or if a day of the week before differed in the same direction.
 */
export function findUnusual(counts: readonly number[]): Unusual | null {
  const found = judge(counts);
  if (!found) return null;
  for (let back = 1; back <= EPISODE_DAYS; back += 1) {
    if (judge(counts.slice(0, -back))?.direction === found.direction) return null;
  }
  return found;
}

/**
 * Compares the last day with the same weekdays of eight weeks, without the highest and the lowest, scaled by the level
 * of the last three weeks. The standard deviation is that of counts that come at random, enlarged by how much the days
 * of these weeks differ from their own expectation (quasi-Poisson, at least by 1).
 */
function judge(counts: readonly number[]): Unusual | null {
  const visits = counts.at(-1) ?? 0;
  const before = counts.slice(-WINDOW - 1, -1);
  if (before.length < WINDOW || sumOf(before) < LEAST_VISITS) return null;
  const means = Array.from({ length: 7 }, (_, weekday) =>
    trimmedMean(before.filter((_, day) => day % 7 === weekday)),
  );
  const days = before.map((count, day) => ({ count, usual: means[day % 7] ?? 0 }));
  const expected = (means[0] ?? 0) * levelOf(days.slice(-LEVEL_DAYS));
  const direction = visits > expected ? 'rise' : 'fall';
  const [most, least] = direction === 'rise' ? [visits, expected] : [expected, visits];
  if (most - least < LEAST_DIFFERENCE || most < FACTOR * least) return null;
  // Days on which a shop is closed say nothing about the others.
  const open = days.filter(({ usual }) => usual >= 1);
  const compared = open.length < WINDOW / 2 ? days : open;
  const deviations =
    direction === 'rise' ? riseOf(visits, expected, compared) : fallOf(visits, expected, compared);
  return deviations < LIMIT[direction] ? null : { direction, visits, expected: Math.round(expected) };
}

/** In standard deviations of a count between both. */
function riseOf(visits: number, expected: number, days: Day[]): number {
  const squares = days.map(({ count, usual }) => (count - usual) ** 2 / Math.max(usual, 0.5));
  return (visits - expected) / Math.sqrt((dispersionOf(squares) * (visits + expected)) / 2);
}

/** In standard deviations of the root, which a few high days enlarge less. */
function fallOf(visits: number, expected: number, days: Day[]): number {
  const squares = days.map(({ count, usual }) => (rootOf(count) - rootOf(usual)) ** 2);
  return (rootOf(expected) - rootOf(visits)) / Math.sqrt(dispersionOf(squares) * (1 + 1 / (WEEKS - 2)));
}

/** Twice the root, with Anscombe's correction: its variance is about 1 for counts that come at random. */
function rootOf(count: number): number {
  return 2 * Math.sqrt(count + 3 / 8);
}

/** Pearson's estimate of variance divided by mean; one mean was estimated from each eight days. */
function dispersionOf(squares: number[]): number {
  const kept = squares.toSorted((a, b) => a - b).slice(0, -LEFT_OUT);
  return Math.max(1, sumOf(kept) / (kept.length - squares.length / WEEKS));
}

function trimmedMean(counts: number[]): number {
  const kept = counts.toSorted((a, b) => a - b).slice(1, -1);
  return sumOf(kept) / kept.length;
}

/** How the last weeks compare with what is usual: the median of their days, so that no single one decides. */
function levelOf(days: Day[]): number {
  const ratios = days.filter(({ usual }) => usual >= 1).map(({ count, usual }) => count / usual);
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 1;
  return Math.min(FACTOR, Math.max(1 / FACTOR, median));
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
