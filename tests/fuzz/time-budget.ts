import { availableParallelism } from 'node:os';
import { expect } from 'vitest';
import { EFFORT } from './seed';

/**
 * A whole run takes at most three minutes on two idle processors: host and website are fuzzed at the same time, on one
 * each. Processor time is measured, because on a busy machine the clock says nothing about the programs.
 */
const BUDGET_SECONDS = 180;

/** Fails if the requests cost more processor time, in seconds, than a run may take. */
export function expectWithinBudget(requests: number, otherSeconds = 0): void {
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1e6 + otherSeconds;
  const clock = Math.round(process.uptime());
  process.stdout.write(
    `${requests} requests in ${clock} s, ${Math.round(seconds)} s of processor time (${availableParallelism()} processors)\n`,
  );
  expect(seconds, 'seconds of processor time').toBeLessThanOrEqual(BUDGET_SECONDS * Math.max(1, EFFORT));
}
