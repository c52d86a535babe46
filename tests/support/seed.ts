import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** Of all that tests draw at random. Each commit has its own, so that samples add up; FUZZ_SEED sets another. */
export const SEED = Number(process.env.FUZZ_SEED || seedOfCommit());
const EFFORT = Number(process.env.FUZZ_EFFORT || 1);

/** Parameters of fast-check, which names the seed of a failed run; FUZZ_EFFORT multiplies the number of runs. */
export function runs(count: number): { seed: number; numRuns: number } {
  return { seed: SEED, numRuns: Math.ceil(count * EFFORT) };
}

/** A source of bytes that are the same in every run with this seed. */
export function seededBytes(): (count: number) => Buffer {
  let calls = 0;
  return (count) => {
    calls += 1;
    return createHash('shake256', { outputLength: count }).update(`${SEED} ${calls}`).digest();
  };
}

function seedOfCommit(): number {
  try {
    const hash = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' });
    return Number.parseInt(hash.slice(0, 7), 16);
  } catch {
    // A copy without its history.
    return Date.now() % 2 ** 28;
  }
}
