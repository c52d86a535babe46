import { expect, test } from 'vitest';
import { embeddedEngine, postgresEngine } from '../../../bench/chaos-engines';
import { runChaos } from '../../../bench/chaos-rounds';
import { bundledProgram } from '../../support/bundled-program';
import { unpackPrepared } from '../../support/prepared-database';

const KILLS = 5;

test.each([
  ['embedded', () => embeddedEngine(unpackPrepared)],
  ['postgres', postgresEngine],
])(
  'whenever a host is killed, every acknowledged visit is counted, and none twice (%s)',
  async (_, open) => {
    const engine = await open();
    if (!engine) return;
    const program = bundledProgram('host/server.ts');
    const seed = Date.now() % 1_000_000;
    const { sent, answered, counted } = await runChaos(engine, { kills: KILLS, seed, program });
    engine.clear();
    expect(answered, `seed ${seed}`).toBeGreaterThan(KILLS);
    expect(counted.visits, `seed ${seed}`).toBeGreaterThanOrEqual(answered);
    expect(counted, `seed ${seed}`).toEqual({
      visits: counted.visits,
      hours: counted.visits,
      totals: counted.visits,
    });
    expect(counted.visits, `seed ${seed}`).toBeLessThanOrEqual(sent);
  },
  300_000,
);
