import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { makeSlug } from '#host/codes/code/slugs';
import type { Database } from '#host/db/client';
import { type BenchDatabase, withDatabase } from './databases';
import { insertLinkCodes } from './link-codes';
import { hostProgram, residentMegabytes, start, stop } from './programs';
import type { Load, Loaded } from './redirect-load';
import { median, type Row, spread } from './row';

export const CONNECTIONS = 64;
const MEMORY_BAR_MB = 200;
const CODES = 1_000;
const REQUESTS = 100_000;
const USER_AGENTS = 50;
const ROUNDS = 3;
const ROUND_SECONDS = 3;

/** Counted and uncounted redirects at the host on each database, alternating with a bare Hono redirect. */
export function benchRedirects(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

interface Round {
  bare: Loaded;
  host: Loaded;
  uncounted: Loaded;
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const requests = await seed(await database.open());
  const uncountedRequests = await seed(await database.open(), CODES, { isCounted: false });
  const bare = await start('bench/bare-redirect.ts', {});
  const host = await start(hostProgram(), database.env);
  const load = (port: number, seconds: number, sent = requests) =>
    runLoad({ port, connections: CONNECTIONS, seconds, requests: sent });

  await load(bare.port, 1);
  let answered = (await load(host.port, 2)).answered;
  await load(host.port, 1, uncountedRequests);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const loaded = {
      bare: await load(bare.port, ROUND_SECONDS),
      host: await load(host.port, ROUND_SECONDS),
      uncounted: await load(host.port, ROUND_SECONDS, uncountedRequests),
    };
    answered += loaded.host.answered;
    rounds.push(loaded);
  }
  const megabytes = residentMegabytes(host.child);
  await stop(bare.child);
  await stop(host.child);
  const written = await countVisits(await database.open());

  const [counted, plain] = [
    median(rounds, ({ host }) => host.perSecond),
    median(rounds, ({ bare }) => bare.perSecond),
  ];
  const [p50, p99] = [median(rounds, ({ host }) => host.p50), median(rounds, ({ host }) => host.p99)];
  const shareOf = ({ bare, host }: Round) => (host.perSecond / bare.perSecond) * 100;
  const gainOf = ({ host, uncounted }: Round) => (uncounted.perSecond / host.perSecond) * 100;
  const slowestOf = ({ bare, host }: Round) => host.p99 / bare.p50;
  const share = median(rounds, shareOf);
  const on = `(${CONNECTIONS} connections)`;
  return [
    {
      what: `counted redirects per second ${on}`,
      figure: `${Math.round(counted)}/s = ${spread(rounds, shareOf)} %`,
      bar: '≥ 25 %',
      ok: share >= 25,
      aim: { bar: '≥ 45 %', reached: share >= 45 },
      yardstick: `bare Hono redirect ${Math.round(plain)}/s`,
    },
    {
      what: `redirects per second of codes that are not counted ${on}`,
      figure: `${Math.round(median(rounds, ({ uncounted }) => uncounted.perSecond))}/s = ${spread(rounds, gainOf)} %`,
      bar: '≥ 130 %',
      ok: median(rounds, gainOf) >= 130,
      yardstick: `counted ${Math.round(counted)}/s`,
    },
    {
      what: `time to a counted redirect ${on}`,
      figure: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms = ${spread(rounds, slowestOf, 1)} ×`,
      bar: 'p99 ≤ 40 ms',
      ok: p99 <= 40,
      aim: {
        bar: 'p99 ≤ 25 ms, ≤ 6 × the bare p50',
        reached: p99 <= 25 && median(rounds, slowestOf) <= 6,
      },
      yardstick: `bare Hono redirect p50 ${median(rounds, ({ bare }) => bare.p50).toFixed(1)} ms`,
    },
    {
      what: `visits in the database ${on}`,
      figure: `${written} of ${answered} answered`,
      bar: 'every one',
      ok: written === answered,
    },
    {
      what: `memory of the host after the load ${on}`,
      figure: `${megabytes} MB`,
      bar: `≤ ${MEMORY_BAR_MB} MB`,
      ok: megabytes <= MEMORY_BAR_MB,
    },
  ];
}

/** Creates codes; returns visits of them. */
export async function seed(db: Database, codes = CODES, { isCounted = true } = {}): Promise<string[]> {
  await db.migrate();
  const slugs = Array.from({ length: codes }, () => makeSlug(randomBytes));
  await insertLinkCodes(db, slugs, 'https://destination.example/', { isCounted });
  await db.close();
  return visitsOf(slugs.map((slug) => `/r/${slug}`));
}

/** Requests for the paths in random order, with varying user agents. */
export function visitsOf(paths: string[], accept = 'text/html,application/xhtml+xml,*/*;q=0.8'): string[] {
  const any = (limit: number) => Math.floor(Math.random() * limit);
  return Array.from({ length: Math.min(paths.length * 5, REQUESTS) }, () => {
    const version = any(USER_AGENTS);
    return [
      `GET ${paths[any(paths.length)]} HTTP/1.1`,
      'Host: localhost',
      `User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 17_${version} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.${version} Mobile/15E148 Safari/604.1`,
      `Accept: ${accept}`,
      'Accept-Language: en-GB,en;q=0.9',
      '\r\n',
    ].join('\r\n');
  });
}

async function countVisits(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    name: '',
    text: 'select count(*) as count from visits',
    values: [],
  });
  await db.close();
  return row?.count ?? 0;
}

/** Runs the load in a separate process, so that its work does not count as the host's. */
export async function runLoad(load: Load): Promise<Loaded> {
  const child = fork('bench/redirect-load.ts', { execArgv: ['--import', 'tsx'] });
  const reply = once(child, 'message');
  child.send(load);
  const [loaded] = (await reply) as [Loaded];
  if (loaded.others > 0) throw new Error(`${loaded.others} answers were no redirect`);
  return loaded;
}
