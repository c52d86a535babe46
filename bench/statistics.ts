import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '#contract/time';
import { grantAccess } from '#host/accounts/store';
import type { Database } from '#host/db/client';
import { openSession } from '#host/sign-in/open-session';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import type { Row } from './row';
import { makeCodes, makeVisits } from './statistics-data';

const CODES = 1_000;
const GROWTH = [10_000, 100_000, 1_000_000];
const MANY_CODES = 100_000;
const PAGE = 10;
const PERIODS = [30, 365];
const REPEATS = 41;
const WARM_UP = 60;
/** Pause between requests, so that none waits for work left by the previous one. */
const PAUSE_MS = 5;

/** Figures of an account as its visits grow, and pages of a list of 100,000 codes, over HTTP at the host. */
export function benchStatistics(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const secret = randomBytes(32).toString('hex');
  const db = await database.open();
  await db.migrate();
  const tokens: string[] = [];
  for (const visits of GROWTH) {
    const accountId = await makeCodes(db, CODES);
    await makeVisits(db, { accountId, visits });
    tokens.push(await signIn(db, accountId, secret));
  }
  const collector = await signIn(db, await makeCodes(db, MANY_CODES), secret);
  await db.orm.execute('vacuum (analyze)');
  await db.close();

  const host = await start(hostProgram(), { ...database.env, JWT_SECRET: secret });
  const measure = (path: string, token: string, body?: object) =>
    medianLatency(`http://127.0.0.1:${host.port}${path}`, token, body);
  try {
    // A host is slower in its first seconds.
    for (const token of tokens) await measure('/api/qrcodes/stats', token, { period: 30 });
    const healthy = await measure('/healthz', '');
    const rows: Row[] = [];
    for (const period of PERIODS) {
      const costs: number[] = [];
      for (const token of tokens) costs.push(await measure('/api/qrcodes/stats', token, { period }));
      rows.push(statisticsRow(period, costs, healthy));
    }
    for (const page of [1, MANY_CODES / PAGE / 2, MANY_CODES / PAGE]) {
      const ms = await measure(`/api/qrcodes?page=${page}&limit=${PAGE}`, collector);
      rows.push({
        what: `list of ${formatNumber(MANY_CODES)} codes, page ${formatNumber(page)}`,
        figure: `${ms.toFixed(1)} ms`,
        bar: '≤ 15 ms',
        ok: ms <= 15,
        yardstick: `health ${healthy.toFixed(1)} ms`,
      });
    }
    const found = await measure('/api/qrcodes/stats/codes?text=nowhere', collector);
    rows.push({
      what: `search of a text that ${formatNumber(MANY_CODES)} codes do not hold`,
      figure: `${found.toFixed(1)} ms`,
      bar: '≤ 15 ms',
      ok: found <= 15,
      yardstick: `health ${healthy.toFixed(1)} ms`,
    });
    return rows;
  } finally {
    await stop(host.child);
  }
}

function statisticsRow(period: number, costs: number[], healthy: number): Row {
  const [small = 0, large = Number.POSITIVE_INFINITY] = [costs[0], costs.at(-1)];
  const curve = costs.map((ms, step) => `${formatNumber(GROWTH[step] ?? 0)}: ${ms.toFixed(1)} ms`).join(', ');
  return {
    what: `statistics of ${period} days as visits grow (${formatNumber(CODES)} codes)`,
    figure: curve,
    bar: '≤ 20 ms, ≤ 2 ×',
    ok: large <= 20 && large <= 2 * small,
    yardstick: `${(large / small).toFixed(1)} ×, health ${healthy.toFixed(1)} ms`,
  };
}

export async function signIn(db: Database, accountId: string, secret: string): Promise<string> {
  const now = new Date();
  await grantAccess(db.orm, accountId, {
    plan: 'basic_yearly',
    status: 'active',
    accessUntil: new Date(now.getTime() + 365 * DAY_MS),
  });
  const account = { id: accountId, email: `${accountId}@bench.example`, roles: [] };
  const deps = { db, clock: { now: () => now }, settings: { jwtSecrets: [secret] } };
  return openSession(deps, account, { remember: false, userAgent: 'bench' });
}

/** Median milliseconds until the whole response has arrived. */
export async function medianLatency(
  target: string | ((repeat: number) => string),
  token: string,
  body?: object,
): Promise<number> {
  const times: number[] = [];
  for (let repeat = 0; repeat < WARM_UP + REPEATS; repeat += 1) {
    const url = typeof target === 'string' ? target : target(repeat);
    const started = performance.now();
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.text();
    if (repeat >= WARM_UP) times.push(performance.now() - started);
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${answer.slice(0, 200)}`);
    await delay(PAUSE_MS);
  }
  return times.sort((a, b) => a - b)[Math.floor(REPEATS / 2)] ?? Number.POSITIVE_INFINITY;
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en-GB');
}
