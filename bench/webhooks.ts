import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchDatabase, withDatabase } from './databases';
import { hostProgram, start, stop } from './programs';
import { CONNECTIONS, runLoad, seed } from './redirects';
import { median, type Row } from './row';
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
  const call = async (path: string, body: object, method = 'POST') => {
    const answer = await fetch(`http://127.0.0.1:${host.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  try {
    const wanted = { url: 'https://hooks.program.example/', events: ['code.created'] };
    const webhook = (await call('/api/webhooks', wanted)) as { data: { id: string } };
    const switchTo = (enabled: boolean) => call(`/api/webhooks/${webhook.data.id}`, { enabled }, 'PATCH');
    const listed = await fetch(`http://127.0.0.1:${host.port}/api/qrcodes`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { data } = (await listed.json()) as { data: { id: string }[] };
    /** Codes are made meanwhile, with and without the webhook: what making them takes is not its fault. */
    const loadBesideEvents = async (enabled: boolean) => {
      await switchTo(enabled);
      const ending = new AbortController();
      const events = makeCodesUntil(ending.signal);
      const { perSecond } = await load();
      ending.abort();
      const made = await events;
      // The last messages are not part of the next round.
      await delay(LAST_MS);
      return { perSecond, made };
    };
    const makeCodesUntil = async (ended: AbortSignal) => {
      let made = 0;
      for (; !ended.aborted; made += 1) {
        await call(`/api/qrcodes/${data[0]?.id}/copies`, {});
        await delay(EVENT_MS);
      }
      return made;
    };
    await load();
    const rounds: { off: number; on: number; made: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const off = await loadBesideEvents(false);
      const on = await loadBesideEvents(true);
      rounds.push({ off: off.perSecond, on: on.perSecond, made: on.made });
    }
    const made = rounds.reduce((sum, round) => sum + round.made, 0);
    const delays = receiver.delays.sort((one, other) => one - other);
    const at = (share: number) => delays[Math.floor((delays.length - 1) * share)] ?? Number.POSITIVE_INFINITY;
    const share = median(rounds, ({ off, on }) => (on / off) * 100);
    return [
      {
        what: `from an event to its message at a webhook beside redirects`,
        figure: `p50 ${Math.round(at(0.5))} ms, p99 ${Math.round(at(0.99))} ms, ${delays.length} of ${made}`,
        bar: 'p99 ≤ 1,000 ms, every one',
        ok: at(0.99) <= 1_000 && delays.length === made,
      },
      {
        what: `redirects beside ${Math.round(made / ROUNDS / ROUND_SECONDS)} messages per second (${CONNECTIONS} connections)`,
        figure: `${Math.round(median(rounds, ({ on }) => on))}/s = ${share.toFixed(0)} %`,
        bar: '≥ 90 %',
        ok: share >= 90,
        yardstick: `without the webhook ${Math.round(median(rounds, ({ off }) => off))}/s`,
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
