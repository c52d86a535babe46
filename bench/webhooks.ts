import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import { CONNECTIONS, median, runLoad, seed } from './redirects';
import type { Row } from './row';
import { signIn } from './statistics';
import { makeCodes } from './statistics-data';

const ROUNDS = 5;
const ROUND_SECONDS = 3;
/** Pause between two events. */
const EVENT_MS = 100;
/** Longer than messages may take, after the last event. */
const LAST_MS = 2_000;

/** Messages to a webhook beside redirects, and what they cost the redirects. */
export function benchWebhooks(): Promise<Row[]> {
  return withDatabase(benchDatabase);
}

async function benchDatabase(database: BenchDatabase): Promise<Row[]> {
  const secret = randomBytes(32).toString('hex');
  const requests = await seed(await database.open());
  const db = await database.open();
  const token = await signIn(db, await makeCodes(db, 1), secret);
  await db.close();
  const receiver = await startReceiver();
  const told = { CHECK_DESTINATIONS: 'false', RECEIVER_PORT: String(receiver.port) };
  const env = { ...database.env, JWT_SECRET: secret, ...told };
  const host = await start(hostProgram(), env, ['--import', './bench/public-network.mjs']);
  const load = () => runLoad({ port: host.port, connections: CONNECTIONS, seconds: ROUND_SECONDS, requests });
  const call = async (path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${host.port}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  try {
    await call('/api/webhooks', { url: 'https://hooks.program.example/', events: ['code.created'] });
    const listed = await fetch(`http://127.0.0.1:${host.port}/api/qrcodes`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { data } = (await listed.json()) as { data: { id: string }[] };
    let made = 0;
    const makeEvents = async (ended: AbortSignal) => {
      for (; !ended.aborted; made += 1) {
        await call(`/api/qrcodes/${data[0]?.id}/copies`, {});
        await delay(EVENT_MS);
      }
    };
    await load();
    const rounds: { alone: number; beside: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = (await load()).perSecond;
      const ending = new AbortController();
      const events = makeEvents(ending.signal);
      const beside = (await load()).perSecond;
      ending.abort();
      await events;
      rounds.push({ alone, beside });
    }
    await delay(LAST_MS);
    const delays = receiver.delays.sort((one, other) => one - other);
    const at = (share: number) => delays[Math.floor((delays.length - 1) * share)] ?? Number.POSITIVE_INFINITY;
    const share = median(rounds, ({ alone, beside }) => (beside / alone) * 100);
    return [
      {
        what: `from an event to its message at a webhook beside redirects`,
        figure: `p50 ${Math.round(at(0.5))} ms, p99 ${Math.round(at(0.99))} ms, ${delays.length} of ${made}`,
        bar: 'p99 ≤ 1,000 ms, every one',
        ok: at(0.99) <= 1_000 && delays.length === made,
      },
      {
        what: `redirects beside ${Math.round(1_000 / EVENT_MS)} messages per second (${CONNECTIONS} connections)`,
        figure: `${Math.round(median(rounds, ({ beside }) => beside))}/s = ${share.toFixed(0)} %`,
        bar: '≥ 90 %',
        ok: share >= 90,
        yardstick: `alone ${Math.round(median(rounds, ({ alone }) => alone))}/s`,
      },
    ];
  } finally {
    await stop(host.child);
    receiver.close();
  }
}

/** A program that is told; `delays` are the milliseconds from each event to its message. */
async function startReceiver() {
  const delays: number[] = [];
  const server = createServer(async (request, response) => {
    const arrived = Date.now();
    const { timestamp } = JSON.parse(await text(request)) as { timestamp: string };
    delays.push(arrived - Date.parse(timestamp));
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, delays, close: () => server.close() };
}
