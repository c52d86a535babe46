import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '#host/db/client';
import { freePort } from '../tests/support/free-port';
import { type BenchDatabase, withDatabases } from './databases';
import { hostProgram, start, stop } from './programs';
import type { Loaded } from './redirect-load';
import { CONNECTIONS, runLoad, seed, visitsOf } from './redirects';
import { median, type Row, spread } from './row';
import { waitFor } from './website';

const LINKS = 1_000;
const ROUNDS = 3;
const ROUND_SECONDS = 3;
/** Kutt answers first and counts afterwards. */
const COUNTED_MS = 60_000;

interface Round {
  ours: Loaded;
  kutt: Loaded;
}

/**
 * Counted redirects of the host and of Kutt (github.com/thedevs-network/kutt) in turns, each with a database of the
 * same server. KUTT_FOLDER names the folder in which Kutt was unpacked and `npm ci` was run.
 */
export async function benchKutt(): Promise<Row[]> {
  const folder = process.env.KUTT_FOLDER;
  if (!folder) throw new Error('KUTT_FOLDER has to name the folder of Kutt, with its packages installed');
  return withDatabases(2, ([own, other]) => compare(folder, own as BenchDatabase, other as BenchDatabase));
}

async function compare(folder: string, own: BenchDatabase, other: BenchDatabase): Promise<Row[]> {
  const kutt = await startKutt(folder, other);
  const requests = await seed(await own.open());
  const host = await start(hostProgram(), own.env);
  const load = (port: number, seconds: number) =>
    runLoad({
      port,
      connections: CONNECTIONS,
      seconds,
      requests: port === host.port ? requests : kutt.requests,
    });
  await load(host.port, 2);
  let answered = (await load(kutt.port, 2)).answered;
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const loaded = { ours: await load(host.port, ROUND_SECONDS), kutt: await load(kutt.port, ROUND_SECONDS) };
    answered += loaded.kutt.answered;
    rounds.push(loaded);
  }
  await stop(host.child);
  const database = await other.open();
  const counted = await waitForCounts(database, answered);
  await database.close();
  await kutt.stop();
  const timesOf = ({ ours, kutt }: Round) => ours.perSecond / kutt.perSecond;
  const medianOf = (read: (round: Round) => number) => Math.round(median(rounds, read));
  return [
    {
      what: `counted redirects per second beside Kutt (${CONNECTIONS} connections)`,
      figure: `${medianOf(({ ours }) => ours.perSecond)}/s = ${spread(rounds, timesOf, 1)} ×`,
      bar: '≥ 2 ×',
      ok: median(rounds, timesOf) >= 2,
      yardstick: `Kutt ${kutt.version} ${medianOf(({ kutt }) => kutt.perSecond)}/s, ${counted} of its ${answered} counted`,
    },
  ];
}

/** With PostgreSQL and without Redis, which would be another program to run. */
async function startKutt(folder: string, { env, open }: BenchDatabase) {
  const port = await freePort();
  const url = new URL(env.DATABASE_URL ?? '');
  const settings = {
    NODE_ENV: 'production' as const,
    PATH: process.env.PATH,
    PORT: String(port),
    DEFAULT_DOMAIN: 'localhost',
    JWT_SECRET: 'of a measurement',
    DB_CLIENT: 'pg',
    DB_HOST: url.searchParams.get('host') ?? url.hostname,
    DB_PORT: url.port || '5432',
    DB_NAME: url.pathname.slice(1),
    DB_USER: decodeURIComponent(url.username),
    DB_PASSWORD: decodeURIComponent(url.password),
  };
  execFileSync('npx', ['knex', 'migrate:latest'], {
    cwd: folder,
    env: settings,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const database = await open();
  await database.query({
    name: '',
    text: `with owner as (insert into users (email, password) values ('owner@example.com', '-') returning id)
      insert into links (address, target, user_id)
      select 'link' || number, 'https://destination.example/', owner.id from owner, generate_series(1, $1::int) as number`,
    values: [LINKS],
  });
  await database.close();
  const child = spawn(process.execPath, ['server/server.js'], {
    cwd: folder,
    env: settings,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  await waitFor(`http://localhost:${port}/login`);
  // A text or a page would get a body.
  const requests = visitsOf(
    Array.from({ length: LINKS }, (_, index) => `/link${index + 1}`),
    'application/json',
  );
  const stopKutt = async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  };
  return { port, version, requests, stop: stopKutt };
}

async function waitForCounts(database: Database, answered: number): Promise<number> {
  const until = performance.now() + COUNTED_MS;
  for (;;) {
    const text = 'select sum(visit_count)::int as counted from links';
    const [row] = await database.query<{ counted: number }>({ name: '', text, values: [] });
    const counted = row?.counted ?? 0;
    if (counted >= answered || performance.now() > until) return counted;
    await pause(500);
  }
}
