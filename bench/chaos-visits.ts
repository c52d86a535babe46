import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { acceptedLanguages } from '#runtime/accept-language';
import { insertLinkCodes } from './link-codes';

/** How many visits were answered, how many of these are not counted, and how many are counted twice. */
export interface Compared {
  all: number;
  lost: number;
  doubled: number;
}

/** Single visits, and the counts in the codes' hours and totals. */
export interface Counted {
  visits: number;
  hours: number;
  totals: number;
}

export const COUNTRY_HEADER = 'x-country';
const SLUGS = Array.from({ length: 20 }, (_, n) => `CHA0S${String(n).padStart(3, '0')}`);
const DESTINATION = 'https://destination.example/';
/** How many requests each connection has under way: most clients wait for a response, some send several at once. */
const PIPELINED = [...Array(12).fill(1), ...Array(4).fill(4)] as number[];
const SILENCE_MS = 20_000;
const RETRY_MS = 5;

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
/** `XX` means an unknown country. */
const COUNTRIES = PAIRS.filter((pair) => pair !== 'XX');
const LANGUAGES = PAIRS.map((pair) => pair.toLowerCase()).filter(
  (pair) => acceptedLanguages(pair)[0] === pair,
);

/** Code, country and language of a visit, which no other visit has. */
function visitNumber(n: number) {
  const byCode = Math.floor(n / SLUGS.length);
  const [slug, country] = [SLUGS[n % SLUGS.length], COUNTRIES[byCode % COUNTRIES.length]];
  const language = LANGUAGES[Math.floor(byCode / COUNTRIES.length)];
  if (!slug || !country || !language) throw new Error('there are more visits than can be told apart');
  return { slug, country, language };
}

const keyOf = ({ slug, country, language }: ReturnType<typeof visitNumber>) =>
  `${slug} ${country} ${language}`;

export function makeVisitedCodes(db: Database): Promise<void> {
  return insertLinkCodes(db, SLUGS, DESTINATION);
}

export type Visits = ReturnType<typeof startVisits>;

/** Visitors who each send the next requests on every response; a response counts once it has fully arrived. */
export function startVisits(port: number) {
  const answered = new Set<number>();
  let [sent, isRunning] = [0, true];
  let onAnswer = (_: number) => {};

  function requestOf(n: number): string {
    const { slug, country, language } = visitNumber(n);
    return [
      `GET /r/${slug} HTTP/1.1`,
      `Host: localhost:${port}`,
      `User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 17_${n % 30} like Mac OS X)`,
      `Accept-Language: ${language}`,
      `${COUNTRY_HEADER}: ${country}`,
      '\r\n',
    ].join('\r\n');
  }

  async function visit(pipelined: number): Promise<void> {
    let socket = open(port);
    while (isRunning) {
      const numbers = Array.from({ length: pipelined }, () => sent++);
      await exchange(socket, numbers.map(requestOf).join(''), pipelined, (index, location) => {
        const n = numbers[index] ?? -1;
        if (location !== DESTINATION + visitNumber(n).slug) return;
        answered.add(n);
        onAnswer(n);
      });
      if (!socket.destroyed) continue;
      await delay(RETRY_MS);
      socket = open(port);
    }
    socket.destroy();
  }

  const visitors = Promise.all(PIPELINED.map(visit));
  return {
    sent: () => sent,
    /** Resolves when a visit is answered that was not sent before the call. */
    nextAnswer: () => {
      const from = sent;
      return new Promise<void>((done) => {
        onAnswer = (n) => n >= from && done();
      });
    },
    stop: async () => {
      isRunning = false;
      await visitors;
      return { sent, answered };
    },
  };
}

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').setTimeout(SILENCE_MS);
  return socket.on('timeout', () => socket.destroy()).on('error', () => undefined);
}

/** Sends requests; resolves when all are answered, or when the socket is closed because it ended or is of no more use. */
function exchange(
  socket: Socket,
  requests: string,
  count: number,
  onRedirect: (index: number, location: string) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let [received, index] = ['', 0];
    const finish = () => {
      socket.off('data', read).off('close', finish);
      resolve();
    };
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let head = headOf(received); head !== ''; head = headOf(received)) {
        const location = /^HTTP\/1\.1 302 [\s\S]*\r\nlocation: (\S+)\r\n/i.exec(head)?.[1];
        // A page instead of a redirect: the program behind was away.
        if (location === undefined) return socket.destroy();
        const end = /\r\ntransfer-encoding: chunked\r\n/i.test(head) ? '0\r\n\r\n' : '';
        if (!received.startsWith(end, head.length)) return;
        onRedirect(index, location);
        received = received.slice(head.length + end.length);
        index += 1;
      }
      if (index === count) finish();
    };
    if (socket.destroyed) return resolve();
    socket.on('data', read).once('close', finish).write(requests);
  });
}

/** The head of the first response; empty if it has not fully arrived. */
function headOf(received: string): string {
  const end = received.indexOf('\r\n\r\n');
  return end < 0 ? '' : received.slice(0, end + 4);
}

/** What of the visits is in the journal, and what is counted. */
export async function readSums(db: Database): Promise<{ waiting: number; counted: Counted }> {
  const [sums] = await db.query<Counted & { waiting: number }>({
    name: '',
    text: `select (select count(*) from visits) as visits,
      (select coalesce(sum(count), 0)::bigint from visit_hours) as hours,
      (select coalesce(sum(scans + clicks + others), 0)::bigint from code_totals) as totals,
      (select count(*) from visit_journal) as waiting`,
    values: [],
  });
  if (!sums) throw new Error('no counts');
  const { waiting, ...counted } = sums;
  return { waiting, counted };
}

/** Compares the visits from one number to another, by default all, with those that are counted. */
export async function readVisits(db: Database, sent: number, answered: ReadonlySet<number>) {
  const rows = await readRows<ReturnType<typeof visitNumber> & { count: number }>(
    db.orm,
    sql`select slug, country, language, count(*) from visits join codes on codes.id = code_id
      group by slug, country, language`,
  );
  const counts = new Map(rows.map((row) => [keyOf(row), row.count]));
  const countOf = (n: number) => counts.get(keyOf(visitNumber(n))) ?? 0;
  const compare = (from = 0, until = sent): Compared => {
    const compared = { all: 0, lost: 0, doubled: 0 };
    for (let n = from; n < until; n += 1) {
      const [count, isAnswered] = [countOf(n), answered.has(n)];
      compared.all += Number(isAnswered);
      compared.lost += Number(isAnswered && count === 0);
      compared.doubled += Math.max(0, count - 1);
    }
    return compared;
  };
  const found = Array.from({ length: sent }, (_, n) => countOf(n)).reduce((sum, count) => sum + count, 0);
  /** Visits that are counted as what nobody sent. */
  const strange = rows.reduce((sum, { count }) => sum + count, 0) - found;
  return { compare, strange };
}

/** Seeded random numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
