import { cpus } from 'node:os';

const REPETITIONS = 21;
const ADDITIONS = 5_000_000;
/** From here on, the machine and not the product may have decided a figure. */
const NOISE = 0.2;

/** How fast the machine was doing the same work again and again. */
export interface Pace {
  /** Median, in milliseconds. */
  ms: number;
  /** Difference between the third and the first quartile, as a share of the median. */
  spread: number;
}

export function measurePace(): Pace {
  const times = Array.from({ length: REPETITIONS }, timeWork).sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (REPETITIONS - 1))] ?? 0;
  return { ms: at(0.5), spread: (at(0.75) - at(0.25)) / at(0.5) };
}

function timeWork(): number {
  const started = performance.now();
  let sum = 0;
  for (let number = 0; number < ADDITIONS; number += 1) sum += number;
  if (sum === 0) throw new Error('nothing was added up');
  return performance.now() - started;
}

/** Whether the pace varied before or after a measurement, or differed between the two. */
export function isNoisy(before: Pace, after: Pace): boolean {
  return before.spread > NOISE || after.spread > NOISE || Math.abs(after.ms - before.ms) / before.ms > NOISE;
}

/** The machine, the day and its pace, for a table of results. */
export function describeMachine(paces: Pace[]): string {
  const [least, most] = [Math.min(...paces.map(({ ms }) => ms)), Math.max(...paces.map(({ ms }) => ms))];
  const processors = cpus();
  return [
    `${processors.length} × ${processors[0]?.model.trim()}`,
    `Node.js ${process.version}`,
    new Date().toISOString().slice(0, 10),
    `${ADDITIONS / 1_000_000} million additions took ${least.toFixed(1)} to ${most.toFixed(1)} ms`,
  ].join(', ');
}
