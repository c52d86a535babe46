import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { createProxyCheck } from '#runtime/client-address';
import { startGateway } from '#runtime/gateway/gateway';
import { internalKeysOf } from '#runtime/internal-key';
import { freePort } from '../tests/support/free-port';
import type { ChaosDatabase } from './chaos-database';
import {
  COUNTRY_HEADER,
  type Counted,
  makeVisitedCodes,
  readSums,
  readVisits,
  seeded,
  startVisits,
} from './chaos-visits';

export interface Outcome {
  kills: number;
  /** How many of them happened while the database was down. */
  killsWithoutDatabase: number;
  sent: number;
  answered: number;
  /** Visits that were answered but not counted, and visits that were counted twice or never sent. */
  lost: number;
  doubled: number;
  counted: Counted;
}

const SECRET = 'a secret of the programs under chaos that is long enough';
/** Time for a final start to count the visits left by killed hosts, and how many such starts there may be. */
const CATCH_UP_MS = 2_000;
const MAX_FINAL_STARTS = 5;

/**
 * Repeatedly kills a host behind a gateway under load, and its database too. Afterwards every answered visit must be
 * counted exactly once, and every other one at most once.
 */
export async function runChaos(
  database: ChaosDatabase,
  { kills, seed, program }: { kills: number; seed: number; program: string[] },
): Promise<Outcome> {
  const random = seeded(seed);
  const db = await database.open();
  await db.migrate();
  await makeVisitedCodes(db);
  await db.close();
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
    sessionSecrets: [],
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
      CHECK_DESTINATIONS: 'false',
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
      // Only then may a killed host lose answered visits.
      if (line.includes('the disk is slow')) process.stderr.write(`${line}\n`);
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

/** Lets a host count the remaining visits and reads the counts; retries in case the machine is slow. */
async function countAll(database: ChaosDatabase, program: string[], sent: number, answered: Set<number>) {
  for (let start = 1; ; start += 1) {
    const host = await startHost(program, database.env);
    await host.ready;
    await delay(CATCH_UP_MS);
    await stopHost(host);
    const db = await database.open();
    const { waiting, counted } = await readSums(db);
    const { compare, strange } = await readVisits(db, sent, answered);
    await db.close();
    const { lost, doubled } = compare();
    if ((waiting > 0 || lost > 0) && start < MAX_FINAL_STARTS) continue;
    return { lost, doubled: doubled + strange, counted };
  }
}
