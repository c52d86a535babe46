import { randomBytes } from 'node:crypto';
import { cursorOf } from '#contract/call';
import { makeKeys } from './api-keys';
import { withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import { median, type Row } from './row';
import { formatNumber, medianLatency, signIn } from './statistics';
import { labelCodes, makeCodes } from './statistics-data';

const CODES = 100_000;
const BATCH = 1_000;
const BATCHES = 5;
const SINGLE_CODES = 51;
const KEYS = 20;
const CALLS = 1_001;
const WARM_UP_ROUNDS = 4;

/** Calls of programs with a key: lists by cursor, what the key costs, and many codes by one call. */
export function benchApi(): Promise<Row[]> {
  return withDatabase(async (database) => {
    const secret = randomBytes(32).toString('hex');
    const db = await database.open();
    await db.migrate();
    const accountId = await makeCodes(db, CODES);
    await labelCodes(db, accountId);
    const keys = await makeKeys(db, accountId, KEYS);
    const token = await signIn(db, accountId, secret);
    await db.orm.execute('vacuum (analyze)');
    await db.close();
    const host = await start(hostProgram(), { ...database.env, JWT_SECRET: secret });
    try {
      const api = createApi(`http://127.0.0.1:${host.port}`, keys);
      return [...(await benchCursors(api)), await benchKeys(api, token), await benchBatch(api)];
    } finally {
      await stop(host.child);
    }
  });
}

interface Api {
  origin: string;
  /** The key whose turn it is. */
  nextKey(): string;
}

function createApi(origin: string, keys: string[]): Api {
  let turn = 0;
  return { origin, nextKey: () => keys[turn++ % keys.length] ?? '' };
}

async function benchCursors({ origin, nextKey }: Api): Promise<Row[]> {
  const healthy = await medianLatency(`${origin}/healthz`, '');
  const rows: Row[] = [];
  for (const limit of [20, 100]) {
    const anywhere = () => cursorOf(1 + Math.floor(Math.random() * CODES));
    const list = () =>
      medianLatency(() => `${origin}/api/v1/codes?limit=${limit}&cursor=${anywhere()}`, nextKey());
    for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await list();
    const ms = await list();
    rows.push({
      what: `list of ${formatNumber(CODES)} codes by cursor with a key, ${limit} to a part`,
      figure: `${ms.toFixed(1)} ms`,
      bar: '≤ 15 ms',
      ok: ms <= 15,
      yardstick: `health ${healthy.toFixed(1)} ms`,
    });
  }
  return rows;
}

/** The same call with a key and with a session, in turns. */
async function benchKeys({ origin, nextKey }: Api, token: string): Promise<Row> {
  const times: { session: number; key: number }[] = [];
  for (let call = 0; call < CALLS; call += 1)
    times.push({
      session: await timeOf(`${origin}/api/tags`, token),
      key: await timeOf(`${origin}/api/tags`, nextKey()),
    });
  const [session, key] = [median(times, (one) => one.session), median(times, (one) => one.key)];
  return {
    what: 'what a key adds to a call, compared with a session',
    figure: `${(key - session).toFixed(2)} ms`,
    bar: '≤ 1 ms',
    ok: key - session <= 1,
    yardstick: `with a session ${session.toFixed(2)} ms`,
  };
}

async function benchBatch({ origin, nextKey }: Api): Promise<Row> {
  const links = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      type: 'link',
      content: `https://menu.example/tables/${index}`,
      name: `Table ${index}`,
      tags: [`tag ${index % 50}`],
    }));
  const single: number[] = [];
  for (const code of links(SINGLE_CODES))
    single.push(await timeOf(`${origin}/api/v1/codes`, nextKey(), code));
  const batches: number[] = [];
  for (let batch = 0; batch < BATCHES; batch += 1)
    batches.push(await timeOf(`${origin}/api/v1/codes/batch`, nextKey(), { codes: links(BATCH) }));
  const ms = median(batches, (one) => one);
  return {
    what: `${formatNumber(BATCH)} codes by one call`,
    figure: `${Math.round(ms)} ms`,
    bar: '≤ 4,000 ms',
    ok: ms <= 4_000,
    yardstick: `one by itself ${median(single, (one) => one).toFixed(1)} ms`,
  };
}

/** Milliseconds until the whole response has arrived. */
async function timeOf(url: string, token: string, body?: object): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${answer.slice(0, 200)}`);
  return performance.now() - started;
}
