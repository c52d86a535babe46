import { availableParallelism } from 'node:os';
import { expect } from 'vitest';
import { EFFORT } from './seed';

/**
 * Expects at least `least` requests, and at most twice as many, so that a run does not become longer with every new call
 * or form without anybody noticing. Prints what they cost, which depends on the machine and so is not judged; `seconds`
 * are those of processor time that other programs took.
 */
export function expectRequests(requests: number, least: number, seconds = 0): void {
  const { user, system } = process.cpuUsage();
  const clock = Math.round(process.uptime());
  const processor = Math.round((user + system) / 1e6 + seconds);
  process.stdout.write(
    `${requests} requests in ${clock} s, ${processor} s of processor time (${availableParallelism()} processors)\n`,
  );
  expect(requests).toBeGreaterThanOrEqual(EFFORT < 1 ? 1 : least);
  expect(requests).toBeLessThanOrEqual(2 * least * Math.max(1, EFFORT));
}
