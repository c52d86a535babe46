import { expect } from 'vitest';
import { MARKS } from '../fuzz/hostile-values';

const NORMALISATION_MS = timeOf(() => MARKS.normalize('NFC'));

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Expects the best of three runs to take less than a tenth of the time of normalising a hostile text. */
export function expectWithinTime(work: () => unknown, what = ''): void {
  const shortest = [1, 2, 3].reduce(
    (best) => (best < NORMALISATION_MS / 10 ? best : Math.min(best, timeOf(work))),
    Number.POSITIVE_INFINITY,
  );
  expect(shortest, what).toBeLessThan(NORMALISATION_MS / 10);
}
