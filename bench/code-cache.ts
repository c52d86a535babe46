import type { ChildProcess } from 'node:child_process';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, residentMegabytes, start, stop } from './programs';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row } from './row';

/** The default of KNOWN_CODES. */
const MEMORY_BAR_MB = 200;
const CODES = 200_000;
const ROUNDS = 3;
const ROUND_SECONDS = 3;
const FILL_MS = 120_000;

/** The memory of a host whose code cache is full, after redirects of two in five of its codes. */
export function benchCodeCache(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const requests = await seed(await database.open(), CODES);
  const bare = await start('bench/bare-redirect.ts', {});
  const host = await start(hostProgram(), database.env);
  const load = async (port: number) =>
    (await runLoad({ port, connections: CONNECTIONS, seconds: ROUND_SECONDS, requests })).perSecond;
  await untilFilled(host.child);
  const rounds: { plain: number; counted: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ plain: await load(bare.port), counted: await load(host.port) });
  const megabytes = residentMegabytes(host.child);
  await stop(bare.child);
  await stop(host.child);
  const counted = Math.round(median(rounds, (round) => round.counted));
  const share = median(rounds, ({ plain, counted }) => (counted / plain) * 100);
  return [
    {
      what: `memory of a host that caches 200,000 codes, after a load`,
      figure: `${megabytes} MB`,
      bar: `≤ ${MEMORY_BAR_MB} MB`,
      ok: megabytes <= MEMORY_BAR_MB,
      yardstick: `${counted} redirects/s = ${share.toFixed(0)} % of bare Hono`,
    },
  ];
}

/** Resolves when a newly started host has filled its code cache. */
function untilFilled(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('the codes were not read in time')), FILL_MS);
    child.stdout?.on('data', (output) => {
      if (!String(output).includes('code cache filled')) return;
      clearTimeout(limit);
      resolve();
    });
  });
}
