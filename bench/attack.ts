import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import type { Loaded } from './redirect-load';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row } from './row';

const ROUNDS = 5;
const ROUND_SECONDS = 3;

/** Counted redirects under attack by huge and slow bodies, alternating with undisturbed runs. */
export function benchAttack(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const requests = await seed(await database.open());
  const { child, port } = await start(hostProgram(), database.env);
  const load = (seconds: number) => runLoad({ port, connections: CONNECTIONS, seconds, requests });
  await load(2);
  const rounds: { quiet: Loaded; attacked: Loaded }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const quiet = await load(ROUND_SECONDS);
    const attackers = fork('bench/attack-load.ts', { execArgv: ['--import', 'tsx'] });
    attackers.send({ port });
    await once(attackers, 'message');
    rounds.push({ quiet, attacked: await load(ROUND_SECONDS) });
    await stop(attackers);
  }
  await stop(child);

  const share = median(rounds, ({ quiet, attacked }) => (attacked.perSecond / quiet.perSecond) * 100);
  return [
    {
      what: `counted redirects per second under huge and slow bodies`,
      figure: `${Math.round(median(rounds, ({ attacked }) => attacked.perSecond))}/s = ${share.toFixed(0)} %`,
      bar: '≥ 80 %',
      ok: share >= 80,
      yardstick: `without them ${Math.round(median(rounds, ({ quiet }) => quiet.perSecond))}/s`,
    },
  ];
}
