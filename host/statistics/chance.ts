/** Differences beyond this many standard deviations occur by chance in 1 of 20 comparisons. */
const LIMIT = 1.96;

/**
 * Whether chance alone explains the difference between the sums of two lists of daily counts of the same length. A
 * quasi-Poisson test: visits come at random, but days differ more than that, by weekday and weather, so the variance is
 * scaled by how much the days of each list differ from their mean (at least by 1, that of a Poisson process).
 */
export function isChance(now: readonly number[], before: readonly number[]): boolean {
  const [sumNow, sumBefore] = [sumOf(now), sumOf(before)];
  const difference = Math.abs(sumNow - sumBefore);
  return difference <= LIMIT * Math.sqrt(dispersionOf(now, before) * (sumNow + sumBefore));
}

/** Pearson's estimate of variance divided by mean. */
function dispersionOf(...lists: (readonly number[])[]): number {
  let chiSquare = 0;
  let freedom = 0;
  for (const list of lists) {
    const mean = sumOf(list) / list.length;
    if (mean === 0) continue;
    chiSquare += sumOf(list.map((count) => (count - mean) ** 2 / mean));
    freedom += list.length - 1;
  }
  return freedom > 0 ? Math.max(1, chiSquare / freedom) : 1;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
