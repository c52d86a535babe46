import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSlug } from '#host/codes/code/slugs';
import { type Database, openServer } from '#host/db/client';
import { createReplicatedServer, serverPrograms } from '../tests/support/replicated-server';
import { hostProgram, start, stop } from './programs';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row } from './row';
import { formatNumber, medianLatency, signIn } from './statistics';
import { makeCodes, makeVisits } from './statistics-data';

const CODES = 1_000;
const VISITS = 100_000;
const ROUNDS = 3;
const ROUND_SECONDS = 3;
const LOOK_UPS = 51;
const WRITES = 20;
const TOLD_SECONDS = 5;
const LIMIT_MS = 60_000;
const ON = 'with a replica';

interface Caller {
  url: string;
  token: string;
}

/**
 * A host with a replica against one without, on a primary and a replica of their own on this machine, which therefore
 * share its processors: the figures say what a replica costs a host, not what it takes off the primary.
 */
export async function benchReplica(): Promise<Row[]> {
  const [programs] = serverPrograms;
  if (!programs) {
    const figure = 'not measured here: needs the PostgreSQL server programs of Debian';
    return [{ what: 'reads from a replica', figure, bar: '–', ok: true }];
  }
  const servers = await createReplicatedServer(programs);
  try {
    return await benchServers(servers.primary.url, servers.replica.url);
  } finally {
    servers.remove();
  }
}

async function benchServers(primary: string, replica: string): Promise<Row[]> {
  const requests = await seed(openServer(primary, () => undefined));
  const secret = randomBytes(32).toString('hex');
  const db = openServer(primary, () => undefined);
  const copy = openServer(replica, () => undefined);
  const accountId = await makeCodes(db, CODES);
  await makeVisits(db, { accountId, visits: VISITS });
  const token = await signIn(db, accountId, secret);
  await db.orm.execute('vacuum (analyze)');
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const env = { DATABASE_URL: primary, DATA_DIR: folder, JWT_SECRET: secret };
  const alone = await start(hostProgram(), env);
  const beside = await start(hostProgram(), { ...env, DATABASE_READ_URL: replica });
  const callers = [alone, beside].map(({ port }) => ({ url: `http://127.0.0.1:${port}`, token }));
  try {
    const [without, withReplica] = callers as [Caller, Caller];
    const pair = async (measure: (caller: Caller) => Promise<number>) =>
      [await measure(without), await measure(withReplica)] as const;
    return [
      latencyRow(`statistics of 30 days, ${formatNumber(VISITS)} visits`, await pair(readStatistics)),
      latencyRow(`list of ${formatNumber(CODES)} codes`, await pair(readList)),
      latencyRow('look-up of a code that does not exist', await pair(lookUpUnknown)),
      await redirectRow(alone.port, beside.port, requests),
      await ownWritesRow(withReplica),
      await lagRow(withReplica, db, copy),
    ];
  } finally {
    await stop(alone.child);
    await stop(beside.child);
    await Promise.all([db.close(), copy.close()]);
    rmSync(folder, { recursive: true });
  }
}

const readStatistics = ({ url, token }: Caller) =>
  medianLatency(`${url}/api/qrcodes/stats`, token, { period: 30 });
const readList = ({ url, token }: Caller) => medianLatency(`${url}/api/qrcodes?page=1&limit=10`, token);

/** Another one each time, as a host remembers what it did not find. */
async function lookUpUnknown({ url }: Caller): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < LOOK_UPS; n += 1) {
    const started = performance.now();
    const answer = await fetch(`${url}/r/${makeSlug(randomBytes)}`, {
      headers: { accept: 'application/json' },
    });
    await answer.text();
    times.push(performance.now() - started);
    if (answer.status !== 404) throw new Error(`an unknown code was answered with ${answer.status}`);
  }
  return median(times, (one) => one);
}

/** Every read costs two statements more: the position of the replica, and a transaction around both. */
function latencyRow(what: string, [without, withReplica]: readonly [number, number]): Row {
  return {
    what: `${what}, ${ON}`,
    figure: `${withReplica.toFixed(1)} ms`,
    bar: '≤ 20 ms, ≤ 3 ×',
    ok: withReplica <= 20 && withReplica <= 3 * without,
    yardstick: `without ${without.toFixed(1)} ms`,
  };
}

async function redirectRow(alone: number, beside: number, requests: string[]): Promise<Row> {
  const load = async (port: number) =>
    (await runLoad({ port, connections: CONNECTIONS, seconds: ROUND_SECONDS, requests })).perSecond;
  const rounds: { alone: number; beside: number }[] = [];
  for (const port of [alone, beside]) await load(port);
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ alone: await load(alone), beside: await load(beside) });
  const share = median(rounds, ({ alone, beside }) => (beside / alone) * 100);
  return {
    what: `counted redirects per second ${ON} (${CONNECTIONS} connections)`,
    figure: `${Math.round(median(rounds, ({ beside }) => beside))}/s = ${share.toFixed(0)} %`,
    bar: '≥ 90 %',
    ok: share >= 90,
    yardstick: `without ${Math.round(median(rounds, ({ alone }) => alone))}/s`,
  };
}

async function ownWritesRow({ url, token }: Caller): Promise<Row> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const readFirst = async () => {
    const list = await fetch(`${url}/api/qrcodes?page=1&limit=1`, { headers });
    return ((await list.json()) as { data: { id: string; name: string | null }[] }).data[0];
  };
  const id = (await readFirst())?.id;
  let seen = 0;
  for (let n = 0; n < WRITES; n += 1) {
    const body = JSON.stringify({ name: `Table ${n}` });
    const changed = await fetch(`${url}/api/qrcodes/${id}`, { method: 'PATCH', headers, body });
    const first = await readFirst();
    if (changed.ok && first?.name === `Table ${n}`) seen += 1;
  }
  return {
    what: `new names that the next list shows, ${ON}`,
    figure: `${seen} of ${WRITES}`,
    bar: 'every one',
    ok: seen === WRITES,
  };
}

/** How far the lag that the statistics tell is from the true one, while a replica replays nothing. */
async function lagRow(caller: Caller, db: Database, replica: Database): Promise<Row> {
  const run = (on: Database, text: string) => on.query({ name: '', text, values: [] });
  await run(replica, 'select pg_wal_replay_pause()');
  const pausedAt = performance.now();
  await run(db, "update accounts set created_at = created_at - interval '1 second'");
  let reported = 0;
  while (reported < TOLD_SECONDS && performance.now() - pausedAt < LIMIT_MS) {
    await delay(100);
    reported = await readLag(caller);
  }
  const trueSeconds = (performance.now() - pausedAt) / 1_000;
  await run(replica, 'select pg_wal_replay_resume()');
  return {
    what: `lag of a replica that replays nothing, as the statistics tell it`,
    figure: `${reported} s`,
    bar: 'off by 2 s or less',
    ok: reported >= TOLD_SECONDS && Math.abs(reported - trueSeconds) <= 2,
    yardstick: `${trueSeconds.toFixed(1)} s since the last replay`,
  };
}

async function readLag({ url, token }: Caller): Promise<number> {
  const answer = await fetch(`${url}/api/qrcodes/stats`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ period: 30 }),
  });
  return ((await answer.json()) as { data: { behindSeconds: number } }).data.behindSeconds;
}
