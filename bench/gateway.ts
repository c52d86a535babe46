import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, residentMegabytes, start, stop } from './programs';
import type { Loaded } from './redirect-load';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row, spread } from './row';

const ROUNDS = 5;
const ROUND_SECONDS = 3;

/** Counted redirects through the gateway, alternating with direct requests to the same host. */
export function benchGateway(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

interface Round {
  direct: Loaded;
  through: Loaded;
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const requests = await seed(await database.open());
  const host = await start(hostProgram(), { ...database.env, DRAIN_SECONDS: '0' });
  const gateway = await start('bench/gateway-program.mjs', { HOST_URL: `http://127.0.0.1:${host.port}` });
  const load = (port: number, seconds: number) =>
    runLoad({ port, connections: CONNECTIONS, seconds, requests });

  await load(host.port, 2);
  await load(gateway.port, 2);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const direct = await load(host.port, ROUND_SECONDS);
    rounds.push({ direct, through: await load(gateway.port, ROUND_SECONDS) });
  }
  const megabytes = residentMegabytes(gateway.child);
  await stop(gateway.child);
  await stop(host.child);

  const shareOf = ({ direct, through }: Round) => (through.perSecond / direct.perSecond) * 100;
  const slownessOf = ({ direct, through }: Round) => through.p50 / direct.p50;
  const [share, slower] = [median(rounds, shareOf), median(rounds, slownessOf)];
  const on = `(${CONNECTIONS} connections)`;
  return [
    {
      what: `counted redirects per second through the gateway ${on}`,
      figure: `${Math.round(median(rounds, ({ through }) => through.perSecond))}/s = ${spread(rounds, shareOf)} %`,
      bar: '≥ 50 %',
      ok: share >= 50,
      aim: { bar: '≥ 60 %', reached: share >= 60 },
      yardstick: `the host itself ${Math.round(median(rounds, ({ direct }) => direct.perSecond))}/s`,
    },
    {
      what: `time to a redirect through the gateway ${on}`,
      figure: `p50 ${median(rounds, ({ through }) => through.p50).toFixed(1)} ms = ${spread(rounds, slownessOf, 1)} ×`,
      bar: '≤ 2.5 ×',
      ok: slower <= 2.5,
      aim: { bar: '≤ 2 ×', reached: slower <= 2 },
      yardstick: `the host itself ${median(rounds, ({ direct }) => direct.p50).toFixed(1)} ms`,
    },
    {
      what: `memory of the gateway after the load ${on}`,
      figure: `${megabytes} MB`,
      bar: '≤ 150 MB',
      ok: megabytes <= 150,
    },
  ];
}
