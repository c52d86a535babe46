import { expect, test } from 'vitest';
import { createChaosDatabase } from '../../../bench/chaos-database';
import { runChaos } from '../../../bench/chaos-rounds';
import { bundledProgram } from '../../support/bundled-program';
import { SEED } from '../../support/seed';

const KILLS = 5;

test('whenever a host is killed, every answered visit is counted exactly once', async () => {
  const database = await createChaosDatabase();
  const program = bundledProgram('host/server.ts');
  const { answered, lost, doubled, counted } = await runChaos(database, {
    kills: KILLS,
    seed: SEED,
    program,
  });
  await database.clear();
  expect(answered, `seed ${SEED}`).toBeGreaterThan(KILLS);
  expect({ lost, doubled }, `seed ${SEED}`).toEqual({ lost: 0, doubled: 0 });
  expect(counted, `seed ${SEED}`).toEqual({
    visits: counted.visits,
    hours: counted.visits,
    totals: counted.visits,
  });
}, 300_000);
