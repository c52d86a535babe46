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
  'whenever a host is killed, every answered visit is counted exactly once (%s)',
  async (_, open) => {
    const engine = await open();
    if (!engine) return;
    const program = bundledProgram('host/server.ts');
    const seed = Date.now() % 1_000_000;
    const { answered, lost, doubled, counted } = await runChaos(engine, { kills: KILLS, seed, program });
    engine.clear();
    expect(answered, `seed ${seed}`).toBeGreaterThan(KILLS);
    expect({ lost, doubled }, `seed ${seed}`).toEqual({ lost: 0, doubled: 0 });
    expect(counted, `seed ${seed}`).toEqual({
      visits: counted.visits,
      hours: counted.visits,
      totals: counted.visits,
    });
  },
  300_000,
);
