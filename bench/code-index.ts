import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ImportReport } from '#contract/imports';
import type { Job } from '#contract/jobs';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row } from './row';
import { formatNumber, medianLatency, signIn } from './statistics';
import { labelCodes, makeCodes, makeVisits } from './statistics-data';

const CODES = 100_000;
const IMPORTED = 10_000;
const ROUNDS = 5;
const ROUND_SECONDS = 3;
const POLL_MS = 1_000;
const CHANGES = 31;
/** Of some 50 requests: a host is twice as slow in the first seconds after its start, when it fills its caches. */
const WARM_UP_ROUNDS = 4;

/**
 * Queries for the list of 100,000 codes, each for the first page and, if there are many results, for a late
 * one. `{n}` is a different number each time: repeating a recent search, as those without it do, is faster.
 */
const QUERIES = [
  ['newest', ''],
  ['newest, far behind', 'page=9000'],
  ['newest, 100 to a page', 'limit=100'],
  ['archived ones included', 'show=all'],
  ['by name', 'order=name'],
  ['by visits', 'order=visits'],
  ['by last visit, far behind', 'order=last_visit&page=9000'],
  ['with a tag', 'tag=tag+7'],
  ['of a campaign', 'campaign=tag+12'],
  ['of a type, private', 'type=text&visibility=private'],
  ['never visited', 'show=never_visited'],
  ['archived', 'show=archived'],
  ['search of many', 'search=destination.example/{n}'],
  ['search of the same again', 'search=destination'],
  ['search of many, far behind', 'search=destination&page=5000'],
  ['search of many, 100 to a page', 'search=destination.example/{n}&limit=100'],
  ['search of many with a tag', 'search=destination.example/{n}&tag=tag+7'],
  ['search of one', 'search=999{n}'],
  ['search of none', 'search=nowhere+{n}'],
] as const;

/** The list of 100,000 named and tagged codes, and an import during redirects, over HTTP at the host. */
export function benchCodeIndex(): Promise<Row[]> {
  return withDatabase(async (database) => [...(await benchList(database)), ...(await benchImport(database))]);
}

async function benchList(database: BenchDatabase): Promise<Row[]> {
  const secret = randomBytes(32).toString('hex');
  const db = await database.open();
  await db.migrate();
  const accountId = await makeCodes(db, CODES);
  await labelCodes(db, accountId);
  await makeVisits(db, { accountId, visits: CODES });
  const token = await signIn(db, accountId, secret);
  await db.orm.execute('vacuum (analyze)');
  await db.close();
  const host = await start(hostProgram(), { ...database.env, JWT_SECRET: secret });
  try {
    const api = `http://127.0.0.1:${host.port}/api/qrcodes`;
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await medianLatency(api, token);
    const healthy = await medianLatency(`http://127.0.0.1:${host.port}/healthz`, '');
    const rows: Row[] = [await benchFirst(`${api}?search=nowhere`, token)];
    for (const [name, query] of QUERIES) {
      const ms = await medianLatency(
        (repeat) => `${api}?${query.replace('{n}', String(10 + repeat))}`,
        token,
      );
      rows.push({
        what: `list of ${formatNumber(CODES)} codes, ${name}`,
        figure: `${ms.toFixed(1)} ms`,
        bar: '≤ 15 ms',
        ok: ms <= 15,
        yardstick: `health ${healthy.toFixed(1)} ms`,
      });
    }
    return [...rows, await benchAfterChange(api, token)];
  } finally {
    await stop(host.child);
  }
}

/** The first search after a start, which reads all codes into memory. */
async function benchFirst(url: string, token: string): Promise<Row> {
  const { value, ms } = await timed(() => fetch(url, { headers: { Authorization: `Bearer ${token}` } }));
  return {
    what: `first search of ${formatNumber(CODES)} codes`,
    figure: `${Math.round(ms)} ms`,
    bar: '≤ 3,000 ms',
    ok: value.ok && ms <= 3_000,
  };
}

/** A query right after each change, which must be visible in its result. */
async function benchAfterChange(api: string, token: string): Promise<Row> {
  const headers = { Authorization: `Bearer ${token}` };
  const findFirst = async () => {
    const answer = await fetch(`${api}?order=visits&search=destination`, { headers });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    return data[0]?.id;
  };
  const times: number[] = [];
  let id = await findFirst();
  for (let change = 0; change < CHANGES; change += 1) {
    const { ok, status } = await fetch(`${api}/${id}`, { method: 'DELETE', headers });
    if (!ok) throw new Error(`deleting a code answered ${status}`);
    const next = await timed(findFirst);
    if (next.value === id) throw new Error('a deleted code was found');
    times.push(next.ms);
    id = next.value;
  }
  const ms = median(times, (one) => one);
  return {
    what: `list of ${formatNumber(CODES)} codes, search by visits, after a change`,
    figure: `${ms.toFixed(1)} ms`,
    bar: '≤ 15 ms',
    ok: ms <= 15,
  };
}

async function benchImport(database: BenchDatabase): Promise<Row[]> {
  const secret = randomBytes(32).toString('hex');
  const requests = await seed(await database.open());
  const db = await database.open();
  const token = await signIn(db, await makeCodes(db, 1), secret);
  await db.close();
  const host = await start(hostProgram(), { ...database.env, JWT_SECRET: secret });
  const load = () => runLoad({ port: host.port, connections: CONNECTIONS, seconds: ROUND_SECONDS, requests });
  const call = async <Data>(path: string, init: RequestInit = {}) => {
    const url = `http://127.0.0.1:${host.port}${path}`;
    const answer = await fetch(url, { ...init, headers: { Authorization: `Bearer ${token}` } });
    const { data } = (await answer.json()) as { data: Data };
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return data;
  };
  try {
    await load();
    const report = await timed(async () => {
      const body = new FormData();
      body.set('file', new File([fileOf(IMPORTED)], 'codes.csv'));
      return call<ImportReport>('/api/imports', { method: 'POST', body });
    });
    const begin = () => call<Job>(`/api/imports/${report.value.id}/start`, { method: 'POST', body: '{}' });
    const alone: number[] = [];
    const runAlone = async () => {
      for (let round = 0; round < ROUNDS; round += 1) alone.push((await load()).perSecond);
    };
    await runAlone();
    let isRunning = true;
    const made = timed(async () => {
      let job = await begin();
      for (; job.status === 'running'; job = await call<Job>(`/api/jobs/${job.id}`)) await delay(POLL_MS);
      return job;
    }).finally(() => {
      isRunning = false;
    });
    const beside: number[] = [];
    while (isRunning) beside.push((await load()).perSecond);
    // The last round continued after the import.
    beside.pop();
    const { value: job, ms } = await made;
    // Measure alone again, because a host gets slower as its tables grow, regardless of other load.
    await runAlone();
    const perSecond = (job.succeeded / ms) * 1_000;
    const middle = (rounds: number[]) => median(rounds, (one) => one);
    const share = (middle(beside) / middle(alone)) * 100;
    return [
      {
        what: `report of a file of ${formatNumber(IMPORTED)} rows`,
        figure: `${Math.round(report.ms)} ms`,
        bar: '≤ 2,000 ms',
        ok: report.ms <= 2_000 && report.value.valid === IMPORTED,
      },
      {
        what: `codes imported per second beside redirects`,
        figure: `${Math.round(perSecond)}/s`,
        bar: '≥ 250/s',
        ok: perSecond >= 250 && job.succeeded === IMPORTED,
        aim: { bar: '≥ 300/s', reached: perSecond >= 300 },
      },
      {
        what: `redirects beside an import (${CONNECTIONS} connections)`,
        figure: `${Math.round(middle(beside))}/s = ${share.toFixed(0)} %`,
        bar: '≥ 90 %',
        ok: share >= 90,
        yardstick: `alone ${Math.round(middle(alone))}/s`,
      },
    ];
  } finally {
    await stop(host.child);
  }
}

function fileOf(rows: number): string {
  const lines = Array.from(
    { length: rows },
    (_, row) => `Table ${row},https://menu.example/tables/${row},"menu, room ${row % 50}"`,
  );
  return `name,content,tags\n${lines.join('\n')}\n`;
}

async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; ms: number }> {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}
