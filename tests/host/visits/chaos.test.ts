import { expect, test } from 'vitest';
import { createChaosDatabase } from '../../../bench/chaos-engines';
import { runChaos } from '../../../bench/chaos-rounds';
import { bundledProgram } from '../../support/bundled-program';

const KILLS = 5;

test('whenever a host is killed, every acknowledged visit is counted, and none twice', async () => {
  const database = await createChaosDatabase();
  const program = bundledProgram('host/server.ts');
  const seed = Date.now() % 1_000_000;
  const { sent, answered, counted } = await runChaos(database, { kills: KILLS, seed, program });
  await database.clear();
  expect(answered, `seed ${seed}`).toBeGreaterThan(KILLS);
  expect(counted.visits, `seed ${seed}`).toBeGreaterThanOrEqual(answered);
  expect(counted, `seed ${seed}`).toEqual({
    visits: counted.visits,
    hours: counted.visits,
    totals: counted.visits,
  });
  expect(counted.visits, `seed ${seed}`).toBeLessThanOrEqual(sent);
}, 300_000);
