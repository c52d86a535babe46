import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { acceptedLanguages } from '#contract/accept-language';
import { createProxyCheck } from '#contract/client-address';
import { internalKeysOf } from '#contract/internal-key';
import { startGateway } from '#host/gateway/gateway';
import { freePort } from '../tests/support/free-port';
import type { ChaosDatabase } from './chaos-database';
import { insertLinkCodes } from './link-codes';

export interface Outcome {
  kills: number;
  /** How many of them happened while the database was down. */
  killsWithoutDatabase: number;
  sent: number;
  answered: number;
  /** Visits that were answered but not counted, and visits that were counted twice or never sent. */
  lost: number;
  doubled: number;
  /** Single visits, and the counts in the codes' hours and totals. */
  counted: { visits: number; hours: number; totals: number };
}

const SLUGS = Array.from({ length: 20 }, (_, n) => `CHA0S${String(n).padStart(3, '0')}`);
const CONNECTIONS = 16;
const DESTINATION = 'https://destination.example/';
const SECRET = 'a secret of the programs under chaos that is long enough';
const COUNTRY_HEADER = 'x-country';
/** Time for a final start to count the visits left by killed hosts, and how many such starts there may be. */
const CATCH_UP_MS = 2_000;
const MAX_FINAL_STARTS = 5;

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

/**
 * Repeatedly kills a host behind a gateway under load, and its database too. Afterwards every answered visit must be counted exactly once, and every other one at most once.
 */
export async function runChaos(
  database: ChaosDatabase,
  {
    kills,
    seed,
    program,
    onKill,
  }: { kills: number; seed: number; program: string[]; onKill?: (kill: number) => void },
): Promise<Outcome> {
  const random = seeded(seed);
  await makeCodes(database);
  const env = { ...database.env, HOST_PORT: String(await freePort()) };
  const gateway = await openGateway(env.HOST_PORT);
  const visits = startVisits(gateway.port);
  const outcome = { kills, killsWithoutDatabase: 0 };
  const between = (from: number, to: number) => Math.round(from + random() * (to - from));

  let isDatabaseDown = false;
  const startDatabase = async () => {
    await database.start();
    isDatabaseDown = false;
  };
  for (let kill = 1; kill <= kills; kill += 1) {
    const host = await startHost(program, env);
    const [before, downtime, startsLater] = [between(20, 900), between(0, 600), random() < 0.5];
    // What is resent meets a host whose database is there, starting or away.
    if (isDatabaseDown) await delay(downtime).then(startDatabase);
    await visits.nextAnswer();
    await delay(before);
    if (random() < 0.5) {
      database.kill();
      isDatabaseDown = true;
      await delay(downtime);
      outcome.killsWithoutDatabase += 1;
    }
    host.child.kill('SIGKILL');
    await host.ended;
    if (isDatabaseDown && !startsLater) await startDatabase();
    onKill?.(kill);
  }
  if (isDatabaseDown) await startDatabase();

  const last = await startHost(program, env);
  await last.ready;
  const { sent, answered } = await visits.stop();
  await gateway.close(0);
  await stopHost(last);
  return {
    ...outcome,
    sent,
    answered: answered.size,
    ...(await countAll(database, program, sent, answered)),
  };
}

function openGateway(hostPort: string) {
  return startGateway({
    port: 0,
    address: '127.0.0.1',
    // There is no website.
    websiteUrl: 'http://127.0.0.1:9',
    hostUrl: `http://127.0.0.1:${hostPort}`,
    isProxy: createProxyCheck(),
    trustProxy: null,
    countryHeader: COUNTRY_HEADER,
    appName: 'Quadrille',
    addresses: [],
    internalKeys: internalKeysOf([SECRET]),
    hstsSubdomains: false,
    log: pino({ level: 'silent' }),
  });
}

async function startHost(program: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, program, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST_PORT: '0',
      LOG_LEVEL: 'info',
      JWT_SECRET: SECRET,
      INTERNAL_SECRET: SECRET,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let isReady = () => {};
  const ready = new Promise<void>((done) => {
    isReady = done;
  });
  const port = await new Promise<number>((listens, reject) => {
    child.once('exit', () => reject(new Error('the host ended before it listened')));
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes('host is ready')) isReady();
      if (line.includes('host listens')) listens(Number(/"port":(\d+)/.exec(line)?.[1]));
    });
  });
  return { child, port, ready, ended };
}

async function stopHost({ child, ended }: { child: ChildProcess; ended: Promise<unknown> }): Promise<void> {
  child.kill('SIGTERM');
  await ended;
}

/** Visitors who each send the next request on every response; a response counts once it has fully arrived. */
function startVisits(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answered = new Set<number>();
  let [sent, isRunning] = [0, true];
  let onAnswer = () => {};

  async function visit(): Promise<void> {
    while (isRunning) {
      const n = sent++;
      const { slug, country, language } = visitNumber(n);
      const headers = {
        'user-agent': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_${n % 30} like Mac OS X)`,
        'accept-language': language,
        [COUNTRY_HEADER]: country,
      };
      const isAnswered = await new Promise<boolean>((done) => {
        const call = request({ port, path: `/r/${slug}`, agent, headers });
        call.on('response', (response) => {
          const isRight = response.headers.location === DESTINATION + slug;
          response.resume().on('end', () => done(isRight));
          response.on('error', () => done(false));
        });
        call.on('error', () => done(false)).end();
      });
      if (isAnswered) {
        answered.add(n);
        onAnswer();
      } else await delay(2);
    }
  }

  const visitors = Promise.all(Array.from({ length: CONNECTIONS }, visit));
  return {
    nextAnswer: () =>
      new Promise<void>((done) => {
        onAnswer = done;
      }),
    stop: async () => {
      isRunning = false;
      await visitors;
      agent.destroy();
      return { sent, answered };
    },
  };
}

async function makeCodes(database: ChaosDatabase): Promise<void> {
  const db = await database.open();
  await db.migrate();
  await insertLinkCodes(db, SLUGS, DESTINATION);
  await db.close();
}

/** Lets a host count the remaining visits and reads the counts; retries in case the machine is slow. */
async function countAll(database: ChaosDatabase, program: string[], sent: number, answered: Set<number>) {
  for (let start = 1; ; start += 1) {
    const host = await startHost(program, database.env);
    await host.ready;
    await delay(CATCH_UP_MS);
    await stopHost(host);
    const { waiting, counted, found } = await readCounts(database);
    const lost = [...answered].filter((n) => !found.has(keyOf(visitNumber(n)))).length;
    if ((waiting > 0 || lost > 0) && start < MAX_FINAL_STARTS) continue;
    const all = Array.from({ length: sent }, (_, n) => keyOf(visitNumber(n)));
    return { lost, doubled: counted.visits - all.filter((key) => found.has(key)).length, counted };
  }
}

async function readCounts(database: ChaosDatabase) {
  const db = await database.open();
  const read = <Row>(text: string) => db.query<Row>({ name: '', text, values: [] });
  const [sums] = await read<Outcome['counted'] & { waiting: number }>(
    `select (select count(*) from visits) as visits, (select coalesce(sum(count), 0)::bigint from visit_hours) as hours,
      (select coalesce(sum(scans + clicks + others), 0)::bigint from code_totals) as totals,
      (select count(*) from visit_journal) as waiting`,
  );
  const rows = await read<ReturnType<typeof visitNumber>>(
    `select distinct slug, country, language from visits join codes on codes.id = code_id`,
  );
  await db.close();
  if (!sums) throw new Error('no counts');
  const { waiting, ...counted } = sums;
  return { waiting, counted, found: new Set(rows.map(keyOf)) };
}

/** Seeded random numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
