import { expect, test } from 'vitest';
import { createChaosDatabase } from '../../../bench/chaos-database';
import { runChaos } from '../../../bench/chaos-rounds';
import { bundledProgram } from '../../support/bundled-program';

const KILLS = 5;

test('whenever a host is killed, every answered visit is counted exactly once', async () => {
  const database = await createChaosDatabase();
  const program = bundledProgram('host/server.ts');
  const seed = Date.now() % 1_000_000;
  const { answered, lost, doubled, counted } = await runChaos(database, { kills: KILLS, seed, program });
  await database.clear();
  expect(answered, `seed ${seed}`).toBeGreaterThan(KILLS);
  expect({ lost, doubled }, `seed ${seed}`).toEqual({ lost: 0, doubled: 0 });
  expect(counted, `seed ${seed}`).toEqual({
    visits: counted.visits,
    hours: counted.visits,
    totals: counted.visits,
  });
}, 300_000);
