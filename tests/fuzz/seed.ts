import { randomInt } from 'node:crypto';

/** Determines all requests: `npm run test:fuzz -- --seed=7` repeats the same run. */
export const SEED = Number(process.env.FUZZ_SEED || randomInt(2 ** 31 - 1));
/** Factor for the number of requests, for longer runs. */
export const EFFORT = Number(process.env.FUZZ_EFFORT || 1);

process.stdout.write(`fuzzing with seed ${SEED}; to repeat: npm run test:fuzz -- --seed=${SEED}\n`);
