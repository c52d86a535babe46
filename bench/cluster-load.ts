import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openServer } from '#host/db/client';
import { INTERNAL_KEY_HEADER, internalKeysOf } from '#runtime/internal-key';
import { INTERNAL_SECRET } from './cluster-programs';
import { type Orders, startBuyers } from './customers';
import { insertLinkCodes } from './link-codes';

const CODES = 50;
const VISITORS = 8;
const BUYERS = 3;
const VISIT_PAUSE_MS = 10;
const ORDER_PAUSE_MS = 120;
const PAGE_PAUSE_MS = 500;
const DESTINATION = 'https://destination.example/';

export interface Load {
  visits: { sent: number; answered: number; refused: string[] };
  orders: Orders;
  pages: { answered: number; refused: string[] };
  stop(): Promise<void>;
}

/** Visitors, buyers and readers that run until stopped. */
export function startLoad(publicUrl: string, callsUrl: string, slugs: string[]): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
  const buyers = startBuyers(callsUrl, {
    buyers: BUYERS,
    pauseMs: ORDER_PAUSE_MS,
    headers: (clientIp) => ({
      [INTERNAL_KEY_HEADER]: internalKeysOf([INTERNAL_SECRET])[0] ?? '',
      'x-client-ip': clientIp,
    }),
  });
  const load = {
    visits: { sent: 0, answered: 0, refused: [] as string[] },
    orders: buyers.orders,
    pages: { answered: 0, refused: [] as string[] },
  };
  let isRunning = true;

  async function visit(): Promise<void> {
    while (isRunning) {
      load.visits.sent += 1;
      const slug = slugs[load.visits.sent % slugs.length];
      const answer = await fetchStatus(`${publicUrl}/r/${slug}`, agent);
      if (answer === `302 ${DESTINATION}${slug}`) load.visits.answered += 1;
      else load.visits.refused.push(answer);
      await delay(VISIT_PAUSE_MS);
    }
  }

  async function read(): Promise<void> {
    while (isRunning) {
      const answer = await fetchStatus(`${publicUrl}/pricings`, agent);
      if (answer.startsWith('200')) load.pages.answered += 1;
      else load.pages.refused.push(answer);
      await delay(PAGE_PAUSE_MS);
    }
  }

  const people = [...Array.from({ length: VISITORS }, visit), read()];
  return {
    ...load,
    stop: async () => {
      isRunning = false;
      await Promise.all([...people, buyers.stop()]);
      agent.destroy();
    },
  };
}

/** Status and location of a response, or the error message if there is none. */
function fetchStatus(url: string, agent: Agent): Promise<string> {
  const headers = {
    'user-agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'accept-language': 'en-GB',
  };
  return new Promise((done) => {
    const call = request(url, { agent, headers, timeout: 20_000 });
    call.on('response', (response) => {
      const answer = `${response.statusCode} ${response.headers.location ?? ''}`;
      response.resume().on('end', () => done(answer));
      response.on('error', (error) => done(error.message));
    });
    call.on('timeout', () => call.destroy(new Error('no answer in 20 seconds')));
    call.on('error', (error) => done(error.message)).end();
  });
}

export interface Counted {
  visits: number;
  hours: number;
  totals: number;
  waiting: number;
  orders: number;
  keys: number;
}

export async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openServer(url, () => undefined);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

export function makeCodes(url: string): Promise<string[]> {
  return withDatabase(url, async (db) => {
    const slugs = Array.from({ length: CODES }, (_, n) => `CRE0S${String(n).padStart(3, '0')}`);
    await insertLinkCodes(db, slugs, DESTINATION);
    return slugs;
  });
}

export function readCounts(url: string): Promise<Counted> {
  return withDatabase(url, async (db) => {
    const [row] = await db.query<Counted>({
      name: '',
      text: `select (select count(*) from visits) as visits,
        (select coalesce(sum(count), 0)::bigint from visit_hours) as hours,
        (select coalesce(sum(scans + clicks + others), 0)::bigint from code_totals) as totals,
        (select count(*) from visit_journal) as waiting,
        (select count(*) from orders) as orders, (select count(distinct form_key) from orders) as keys`,
      values: [],
    });
    if (!row) throw new Error('no counts');
    return row;
  });
}
