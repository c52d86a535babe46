import { expect } from 'vitest';
import { MARKS } from '../fuzz/hostile-values';

const NORMALISATION_MS = timeOf(() => MARKS.normalize('NFC'));

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Runs of a work before it counts as slow: on a busy machine, most of them wait for a processor. */
const RUNS = 30;

/** Expects the shortest run to take less than a tenth of the time of normalising a hostile text. */
export function expectWithinTime(work: () => unknown, what = ''): void {
  const limit = NORMALISATION_MS / 10;
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS && shortest >= limit; run += 1) shortest = Math.min(shortest, timeOf(work));
  expect(shortest, what).toBeLessThan(limit);
}
