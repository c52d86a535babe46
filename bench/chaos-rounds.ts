import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosEngine } from './chaos-engines';
import { insertLinkCodes } from './link-codes';

export interface Outcome {
  kills: number;
  /** How many of them happened while the database was down. */
  killsWithoutDatabase: number;
  sent: number;
  answered: number;
  /** Single visits, and the counts in the codes' hours and totals. */
  counted: { visits: number; hours: number; totals: number };
}

const CODES = 20;
const CONNECTIONS = 16;
const DESTINATION = 'https://destination.example/';
/** Time for a final start to count the visits left by killed hosts, and how many such starts there may be. */
const CATCH_UP_MS = 2_000;
const MAX_FINAL_STARTS = 5;

/**
 * Repeatedly kills a host under load, and its database too if that is a separate program. Afterwards every
 * answered visit must be counted exactly once.
 */
export async function runChaos(
  engine: ChaosEngine,
  {
    kills,
    seed,
    program,
    onKill,
  }: { kills: number; seed: number; program: string[]; onKill?: (kill: number) => void },
): Promise<Outcome> {
  const random = seeded(seed);
  const slugs = await makeCodes(engine);
  const outcome = { kills, killsWithoutDatabase: 0, sent: 0, answered: 0 };
  const between = (from: number, to: number) => Math.round(from + random() * (to - from));

  for (let kill = 1; kill <= kills; kill += 1) {
    const host = await startHost(program, engine.env);
    const visits = startVisits(host.port, slugs);
    const [before, downtime] = [between(20, 900), between(0, 600)];
    const killsDatabase = engine.server !== null && random() < 0.5;
    await visits.firstAnswer;
    await delay(before);
    if (killsDatabase) {
      engine.server?.kill();
      await delay(downtime);
      outcome.killsWithoutDatabase += 1;
    }
    host.child.kill('SIGKILL');
    await host.ended;
    await visits.stop();
    if (killsDatabase) engine.server?.start();
    outcome.sent += visits.sent();
    outcome.answered += visits.answered();
    onKill?.(kill);
  }

  return { ...outcome, counted: await countAll(engine, program, outcome.answered) };
}

async function startHost(program: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, program, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST_PORT: '0',
      LOG_LEVEL: 'info',
      JWT_SECRET: 'a secret of the host under chaos that is long enough',
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

/** Visitors who each send the next request on every response; a response counts once it has fully arrived. */
function startVisits(port: number, slugs: string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let [sent, answered, isRunning] = [0, 0, true];
  let answeredOnce = () => {};
  const firstAnswer = new Promise<void>((done) => {
    answeredOnce = done;
  });

  async function visit(): Promise<void> {
    while (isRunning) {
      sent += 1;
      const path = `/r/${slugs[sent % slugs.length]}`;
      const headers = { 'user-agent': `Mozilla/5.0 (iPhone; CPU iPhone OS 17_${sent % 30} like Mac OS X)` };
      const isAnswered = await new Promise<boolean>((done) => {
        const call = request({ port, path, agent, headers });
        call.on('response', (response) => {
          const isCounted = response.headers.location?.startsWith(DESTINATION) === true;
          response.resume().on('end', () => done(isCounted));
          response.on('error', () => done(false));
        });
        call.on('error', () => done(false)).end();
      });
      if (isAnswered) {
        answered += 1;
        answeredOnce();
      } else await delay(2);
    }
  }

  const visitors = Promise.all(Array.from({ length: CONNECTIONS }, visit));
  return {
    firstAnswer,
    sent: () => sent,
    answered: () => answered,
    stop: async () => {
      isRunning = false;
      await visitors;
      agent.destroy();
    },
  };
}

async function makeCodes(engine: ChaosEngine): Promise<string[]> {
  const db = await engine.open();
  await db.migrate();
  const slugs = Array.from({ length: CODES }, (_, n) => `CHA0S${String(n).padStart(3, '0')}`);
  await insertLinkCodes(db, slugs, DESTINATION);
  await db.close();
  return slugs;
}

/** Lets a host count the remaining visits and reads the counts; retries in case the machine is slow. */
async function countAll(
  engine: ChaosEngine,
  program: string[],
  expected: number,
): Promise<Outcome['counted']> {
  for (let start = 1; ; start += 1) {
    const host = await startHost(program, engine.env);
    await host.ready;
    await delay(CATCH_UP_MS);
    host.child.kill('SIGTERM');
    await host.ended;
    const { waiting, ...counted } = await readCounts(engine);
    if ((waiting === 0 && counted.visits >= expected) || start === MAX_FINAL_STARTS) return counted;
  }
}

async function readCounts(engine: ChaosEngine) {
  const db = await engine.open();
  const [row] = await db.query<Outcome['counted'] & { waiting: number }>({
    name: '',
    text: `select (select count(*) from visits) as visits, (select coalesce(sum(count), 0)::bigint from visit_hours) as hours,
      (select coalesce(sum(scans + clicks + others), 0)::bigint from code_totals) as totals,
      (select count(*) from visit_journal) as waiting`,
    values: [],
  });
  await db.close();
  if (!row) throw new Error('no counts');
  return row;
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
