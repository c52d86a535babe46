import { expect } from 'vitest';
import { MARKS } from '../fuzz/hostile-values';

const ONE_NORMALISATION = timeOf(() => MARKS.normalize('NFC'));

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Less than a tenth of what normalising a hostile text takes; the best of three, as others use the machine too. */
export function expectQuick(work: () => unknown, what = ''): void {
  const quickest = [1, 2, 3].reduce(
    (best) => (best < ONE_NORMALISATION / 10 ? best : Math.min(best, timeOf(work))),
    Number.POSITIVE_INFINITY,
  );
  expect(quickest, what).toBeLessThan(ONE_NORMALISATION / 10);
}
