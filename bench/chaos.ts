import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openServer } from '#host/db/client';
import { isServer, readPidFile } from '../runtime/postgres/address.mjs';
import { EmbeddedPostgres } from '../runtime/postgres/postgres.mjs';
import { freePort } from '../tests/support/free-port';
import { makeSubscriber, SECRET } from '../tests/support/killed-host-fixture';
import {
  COUNTRY_HEADER,
  type Compared,
  makeVisitedCodes,
  readSums,
  readVisits,
  seeded,
  startVisits,
  type Visits,
} from './chaos-visits';
import { receiverEnv, reportWebhooks, startWebhooks } from './chaos-webhooks';
import { compareImports, comparePurchases, startBuyers, startImports } from './customers';
import type { Row } from './row';

const KINDS = ['host', 'database', 'launcher', 'starting host', 'everything'] as const;
type Kind = (typeof KINDS)[number];
interface Kill {
  kind: Kind;
  /** Numbers of the visits from when the product had answered after the kill before until it has again. */
  from: number;
  until: number;
  backMs: number;
}

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const [KILLS, SEED] = [Number(values.kills), Number(values.seed)];
/** From a kill to the next answered visit, and for whatever else the product has to do on a busy machine. */
const BACK_MS = 60_000;
const LIMIT_MS = 180_000;
const POLL_MS = 50;
const SETTLE_MS = 2_000;
/** How long what a killed program has started may live on. */
const LEFT_MS = 15_000;
const BUYERS = 2;
const ORDER_PAUSE_MS = 250;
/** An account may start ten imports an hour. */
const SUBSCRIBERS = 20;

const folder = mkdtempSync(join(tmpdir(), 'chaos-'));
const receiver = receiverEnv(join(folder, 'receiver.pem'));
const log = openSync(`${folder}.log`, 'a');
const [port, hostPort] = [await freePort(), await freePort()];
const callsUrl = `http://127.0.0.1:${hostPort}`;
/** Processes of the product that were seen before a kill: `pid program`. */
const seen = new Set<string>();
let [isEnding, fail] = [false, (_: Error) => {}];
/** Rejects when the launcher ends by itself. */
const broken = new Promise<never>((_, reject) => {
  fail = reject;
});
broken.catch(() => undefined);

process.once('SIGINT', () => quit(1)).once('SIGTERM', () => quit(1));
process.stdout.write(`${KILLS} kills, --seed=${SEED}\n`);
let launcher = launch();
const rows = await run().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.stack : error}\n`);
  return [];
});
for (const { what, figure, bar, ok } of rows)
  process.stdout.write(`${ok ? 'ok' : 'NO'}  ${what}: ${figure} (${bar})\n`);
const isRight = rows.length > 0 && rows.every(({ ok }) => ok);
if (!isRight) process.stdout.write(`WRONG: the data is in ${folder}, the log in ${folder}.log\n`);
quit(isRight ? 0 : 1);

function quit(code: number): void {
  isEnding = true;
  for (const { pid } of [...listProcesses(), ...listLeft()]) end(pid);
  if (code === 0) for (const path of [folder, `${folder}.log`]) rmSync(path, { recursive: true });
  process.exit(code);
}

async function run(): Promise<Row[]> {
  await within(LIMIT_MS, 'the product did not start', poll(isReady));
  const db = openServer((await EmbeddedPostgres.prepare(folder)).url, () => undefined);
  await makeVisitedCodes(db);
  const subscribers = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => makeSubscriber(db.orm)));
  const visits = startVisits(port);
  const headers = (clientIp: string) => ({ 'x-forwarded-for': clientIp });
  const buyers = startBuyers(callsUrl, { buyers: BUYERS, pauseMs: ORDER_PAUSE_MS, headers, pays: true });
  const imports = startImports(
    callsUrl,
    subscribers.map(({ token }) => token),
  );
  const webhooks = await startWebhooks(callsUrl, (await makeSubscriber(db.orm)).token);
  for (const { stopped } of [buyers, imports, webhooks]) stopped.catch(fail);
  const kills = await killAtRandom(visits);
  const { sent, answered } = await visits.stop();
  const completed = Promise.all([imports.stop(), buyers.stop(), webhooks.stop()]);
  const [files] = await within(LIMIT_MS, 'orders and imports were not completed', completed);

  for (const until = performance.now() + LIMIT_MS; ; await delay(SETTLE_MS)) {
    const isLate = performance.now() > until;
    const purchases = await comparePurchases(db.orm, buyers.orders.keys);
    const { waiting, counted } = await readSums(db);
    const told = webhooks.compare();
    const isDone = [told, ...Object.values(purchases)].every(({ lost }) => lost === 0);
    if (!isLate && (!isDone || waiting > 0 || counted.visits < answered.size)) continue;
    const { compare, strange } = await readVisits(db, sent, answered);
    const { lost, doubled } = compare();
    if (!isLate && lost > 0) continue;
    const isConsistent = counted.hours === counted.visits && counted.totals === counted.visits;
    const rows = [
      ...KINDS.map((kind) => reportKills(kind, kills, compare)),
      rowOf('visits', { all: answered.size, lost, doubled: doubled + strange }, isConsistent),
      ...Object.entries(purchases).map(([what, compared]) => rowOf(what, compared)),
      rowOf('imported rows', await compareImports(db.orm, files)),
      reportWebhooks(told),
    ];
    await db.close();
    webhooks.close();
    return [...rows, await stopProduct()];
  }
}

function rowOf(what: string, { all, lost, doubled }: Compared, isConsistent = true): Row {
  const figure = `${lost} and ${doubled} of ${all}${isConsistent ? '' : ', but the counters differ'}`;
  const ok = lost === 0 && doubled === 0 && isConsistent;
  return { what: `${what} lost or doubled`, figure, bar: '0 and 0', ok };
}

function reportKills(kind: Kind, all: Kill[], compare: (from: number, until: number) => Compared): Row {
  const kills = all.filter((kill) => kill.kind === kind);
  const compared = kills.map(({ from, until }) => compare(from, until));
  const sumOf = (name: keyof Compared) => compared.reduce((sum, one) => sum + one[name], 0);
  const sums = { all: sumOf('all'), lost: sumOf('lost'), doubled: sumOf('doubled') };
  const row = rowOf(`visits around ${kills.length} kills (${kind})`, sums);
  const seconds = (Math.max(0, ...kills.map(({ backMs }) => backMs)) / 1_000).toFixed(1);
  return { ...row, figure: `${row.figure}, answered again within ${seconds} s` };
}

/** As a supervisor does; afterwards nothing of it may be left. */
async function stopProduct(): Promise<Row> {
  listProcesses();
  isEnding = true;
  const ended = once(launcher, 'exit');
  launcher.kill('SIGTERM');
  const [code] = await within(BACK_MS, 'the launcher did not stop', ended);
  await Promise.race([poll(() => listLeft().length === 0), delay(LEFT_MS)]);
  const left = listLeft().map(nameOf);
  const figure = `exit code ${code}, ${left.length} processes left (${left.join(', ') || 'none'})`;
  return { what: 'the product, stopped', figure, bar: '0 and 0', ok: code === 0 && left.length === 0 };
}

/** As `npm start` does; a `.env` must not lead it to another database, mail server or provider of payments. */
function launch(): ChildProcess {
  const child = spawn(process.execPath, ['runtime/launch.mjs'], {
    env: {
      PATH: process.env.PATH,
      ...receiver,
      PORT: String(port),
      HOST_PORT: String(hostPort),
      DATA_DIR: folder,
      JWT_SECRET: SECRET,
      COUNTRY_HEADER,
      // Of the buyers, whose orders would otherwise exceed the limits of one address.
      TRUST_PROXY: 'x-forwarded-for',
      NODE_ENV: 'production',
      CHECK_DESTINATIONS: 'false',
      LOG_LEVEL: 'warn',
      DATABASE_URL: '',
      SMTP_URL: '',
      PAYMENTS: 'sandbox',
    },
    stdio: ['ignore', log, log],
  });
  child.once('exit', (code, signal) => {
    if (!isEnding && signal !== 'SIGKILL')
      fail(new Error(`the launcher ended by itself (${signal ?? code})`));
  });
  return child;
}

function isReady(): Promise<boolean> {
  return fetch(`${callsUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function killAtRandom(visits: Visits): Promise<Kill[]> {
  const random = seeded(SEED);
  const kills: Kill[] = [];
  let kinds: Kind[] = [];
  for (let from = 0; kills.length < KILLS; from = visits.sent()) {
    if (kinds.length === 0) kinds = [...KINDS];
    const kind = kinds.splice(Math.floor(random() * kinds.length), 1)[0] as Kind;
    const name = `kill ${kills.length + 1} (${kind})`;
    // Some meet a product that is still starting, others one that has long been at work.
    await delay(random() < 0.4 ? random() * 900 : 900 + random() * 5_000);
    const server = findServer();
    await within(BACK_MS, `${name} found nothing to kill`, kill(kind));
    const killedAt = performance.now();
    await within(BACK_MS, `no visit was answered after ${name}`, visits.nextAnswer());
    kills.push({ kind, from, until: visits.sent(), backMs: performance.now() - killedAt });
    if (server && !['database', 'everything'].includes(kind) && findServer() !== server)
      throw new Error(`PostgreSQL was not taken over after ${name}`);
    process.stderr.write(`\r${kills.length} `);
  }
  return kills;
}

async function kill(kind: Kind): Promise<void> {
  const victims = listProcesses();
  if (kind === 'host') end(await poll(findHost));
  else if (kind === 'database') end(await poll(() => findServer()));
  else {
    end(launcher.pid ?? 0);
    if (kind === 'everything') for (const { pid } of victims) end(pid);
    launcher = launch();
    if (kind === 'starting host') end(await poll(findHost));
  }
}

function end(pid: number): void {
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

/** Id of PostgreSQL's main process, if it accepts connections. */
function findServer(isAccepting = true): number | null {
  const data = join(folder, 'postgres');
  const found = readPidFile(data);
  const isFound = found && (found.isReady || !isAccepting) && isServer(found.pid, realpathSync(data));
  return isFound ? found.pid : null;
}

function findHost(): number | undefined {
  return listProcesses().find(
    ({ parent, command }) => parent === launcher.pid && command.includes('build/host/server.js'),
  )?.pid;
}

interface Process {
  pid: number;
  parent: number;
  command: string;
}

/** The launcher and PostgreSQL, and all that they have started. */
function listProcesses(): Process[] {
  const [all, server] = [readProcesses(), findServer(false)];
  const found = all.filter(({ pid }) => pid === launcher.pid || pid === server);
  // The list grows while it is read.
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  for (const one of found) seen.add(nameOf(one));
  return found;
}

function listLeft(): Process[] {
  return readProcesses().filter((one) => seen.has(nameOf(one)));
}

/** Without those that have ended. */
function readProcesses(): Process[] {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return [...text.matchAll(/^ *(\d+) +(\d+) +[^Z\s]\S* +(.*)$/gm)].map(([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }));
}

function nameOf({ pid, command }: Process): string {
  return `${pid} ${command.split(' ')[0]}`;
}

/** The first result that is neither null nor false. */
async function poll<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const result = await read();
    if (result) return result;
    await delay(POLL_MS);
  }
}

function within<T>(ms: number, failure: string, work: Promise<T>): Promise<T> {
  const late = delay(ms).then(() => {
    throw new Error(`${failure} within ${ms / 1_000} seconds`);
  });
  late.catch(() => undefined);
  return Promise.race([work, broken, late]);
}
