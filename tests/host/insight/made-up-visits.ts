/** Random numbers that are the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Marsaglia and Tsang. */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

function poisson(mean: number, random: () => number): number {
  if (mean > 200) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  let count = -1;
  for (let product = 1, limit = Math.exp(-mean); product > limit; product *= 1 - random()) count += 1;
  return count;
}

export interface Habits {
  /** Visits a day. */
  mean: number;
  /** Variance divided by mean: 1 for visits that come at random. */
  dispersion: number;
  /** From week to week, 1.03 for 3 % more. */
  growth: number;
  /** By weekday. */
  week: readonly number[];
}

/** Visits of so many days. `change` multiplies what is to be expected of a day. */
export function makeDays(
  { mean, dispersion, growth, week }: Habits,
  days: number,
  random: () => number,
  change: (day: number) => number = () => 1,
): number[] {
  return Array.from({ length: days }, (_, day) => {
    const expected = mean * (week[day % 7] ?? 1) * growth ** ((day - days) / 7) * change(day);
    const shape = expected / (dispersion - 1);
    if (expected === 0) return 0;
    return poisson(dispersion > 1 ? gamma(shape, random) * (dispersion - 1) : expected, random);
  });
}
