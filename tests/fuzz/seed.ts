import { randomInt } from 'node:crypto';

/** What everything sent is derived from: `npm run test:fuzz -- --seed=7` sends the same again. */
export const SEED = Number(process.env.FUZZ_SEED || randomInt(2 ** 31 - 1));
/** Multiplies the number of requests, for longer runs. */
export const EFFORT = Number(process.env.FUZZ_EFFORT || 1);

process.stdout.write(`fuzzing with seed ${SEED}: repeat it with npm run test:fuzz -- --seed=${SEED}\n`);
