import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setProgramPriority } from '../runtime/priority.mjs';
import { freePort } from '../tests/support/free-port';
import { keepMost, stop, type Usage, type Usages, usagesOf } from './programs';
import { type Row, table } from './row';
import { ATTACKS, type Outcomes, type Target } from './soak-attacks';
import { type Customer, createCustomer } from './soak-customers';
import { waitFor } from './website';

// The product as an operator starts it, under all attacks at once; with --each under one after the other.

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    each: { type: 'boolean', default: false },
    /** One attack, or several with commas. */
    only: { type: 'string' },
  },
});
const ATTACK_MS = Number(values.minutes) * 60_000;
const WARM_UP_MS = 30_000;
const QUIET_MS = 60_000;
const EACH_MS = 10_000;
/** Connections between the programs are closed, and idle processes ended, within this time. */
const SETTLE_MS = 120_000;
/** Their work is not the product's. */
const ATTACKERS_PRIORITY = 10;
const VISIT_EVERY_MS = 20;
const PAGE_EVERY_MS = 500;
const SAMPLE_MS = 1_000;
/** The sandbox takes cards of holders with different names for different cards. */
const ATTACKERS = ['Ada', 'Bo', 'Cy'];
const MAX_SLOWER = 5;
/** Above these megabytes, their `retireBytes`, processes of pools are replaced after a task. */
const POOL_LIMITS: Record<string, number> = { 'drawing pool': 450, 'upload pool': 250, 'hashing pool': 200 };

const [port, hostPort] = [await freePort(), await freePort()];
const [url, hostUrl] = [`http://localhost:${port}`, `http://127.0.0.1:${hostPort}`];
const addresses = { url, hostUrl };
const folder = mkdtempSync(join(tmpdir(), 'soak-'));
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const product = startProduct();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.once('exit', () => product.kill());
const rows: Row[] = [];
try {
  await Promise.all([waitFor(`${url}/`), waitFor(`${hostUrl}/healthz`)]);
  const reader = await createCustomer('Reader', addresses);
  const cookies: string[] = [];
  for (const name of ATTACKERS) cookies.push((await createCustomer(name, addresses)).cookie);
  const home = await (await fetch(`${url}/`)).text();
  const file = /\/assets\/vendor-[\w-]+\.js/.exec(home)?.[0] ?? '/';
  const target = { port, slugs: reader.slugs, file, cookies, only: values.only?.split(',') };
  if (values.each) for (const only of ATTACKS) await attackAlone({ ...target, only: [only] }, reader);
  else await attackTogether(target, reader);
} finally {
  agent.destroy();
  if (product.exitCode === null) await stop(product);
}
process.stdout.write(`\n${table(rows)}\n`);
const isGood = rows.length > 0 && rows.every(({ ok }) => ok);
if (isGood) rmSync(folder, { recursive: true });
else say(`the log is ${join(folder, 'log')}`);
process.exit(isGood ? 0 : 1);

async function attackTogether(target: Target, reader: Customer): Promise<void> {
  say(`warming up for ${WARM_UP_MS / 1_000} seconds`);
  await stopAttacks(await startAttacks(target), WARM_UP_MS);
  await delay(SAMPLE_MS * 10);
  const before = await observe(QUIET_MS, reader);
  say(`attacking for ${values.minutes} minutes`);
  const attackers = await startAttacks(target);
  const during = await observe(ATTACK_MS, reader);
  const outcomes = await stopAttacks(attackers, 0);
  say(`a quiet minute`);
  const after = await observe(QUIET_MS, reader);
  const left = await settle(before.usages);

  const slower = percentile(during.times, 0.95) / percentile(before.times, 0.95);
  rows.push(
    {
      what: 'p95 of visits under attack',
      figure: `${percentile(during.times, 0.95).toFixed(1)} ms = ${slower.toFixed(1)} ×`,
      bar: `≤ ${MAX_SLOWER} ×`,
      ok: slower <= MAX_SLOWER,
      yardstick: `without it ${percentile(before.times, 0.95).toFixed(1)} ms`,
    },
    ...[before, during, after].map((phase, n): Row => {
      const [what, wrong] = [['before', 'during', 'after'][n], Object.entries(phase.wrong)];
      return {
        what: `visits and pages ${what} it that were not answered`,
        figure: wrong.map(([answer, count]) => `${count} × ${answer}`).join(', ') || '0',
        bar: `0 of ${phase.times.length} and ${phase.pages.length}`,
        ok: wrong.length === 0,
        yardstick: `p50 ${percentile(phase.times, 0.5).toFixed(1)}, p95 ${percentile(phase.times, 0.95).toFixed(1)}, most ${percentile(phase.times, 1).toFixed(0)} ms; pages p95 ${percentile(phase.pages, 0.95).toFixed(0)} ms`,
      };
    }),
    ...Object.keys(left).map((kind) => usageRow(kind, before.usages[kind], during.usages[kind], left[kind])),
  );
  for (const [kind, counts] of Object.entries(outcomes))
    say(
      `${kind}: ${Object.entries(counts)
        .map(([answer, count]) => `${count} × ${answer}`)
        .join(', ')}`,
    );
}

/** Shows what one attack does to the others. */
async function attackAlone(target: Target, reader: Customer): Promise<void> {
  const attackers = await startAttacks(target);
  const { times, pages, wrong } = await observe(EACH_MS, reader);
  await stopAttacks(attackers, 0);
  rows.push({
    what: `p95 of visits under ${target.only}`,
    figure: `${percentile(times, 0.95).toFixed(1)} ms`,
    bar: '',
    ok: Object.keys(wrong).length === 0,
    yardstick: `p50 ${percentile(times, 0.5).toFixed(1)} ms; pages p95 ${percentile(pages, 0.95).toFixed(0)} ms; not answered ${JSON.stringify(wrong)}`,
  });
  await delay(SAMPLE_MS * 3);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** `npm start` behind a proxy on this machine, reachable past it too, so that clients without one can be simulated. */
function startProduct(): ChildProcess {
  const log = openSync(join(folder, 'log'), 'a');
  return spawn('node', ['runtime/launch.mjs'], {
    stdio: ['ignore', log, log],
    // A session of its own, as a service has: its priority is not that of this program, which measures it.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      JWT_SECRET: randomBytes(32).toString('hex'),
      ...(process.env.DATABASE_URL && { DATABASE_URL: process.env.DATABASE_URL }),
      PORT: String(port),
      HOST_PORT: String(hostPort),
      DATA_DIR: join(folder, 'data'),
      PUBLIC_URL: url,
      GATEWAY_ADDRESS: '0.0.0.0',
      TRUST_PROXY: 'x-forwarded-for',
    },
  });
}

async function startAttacks(target: Target): Promise<ChildProcess> {
  const attackers = fork('bench/soak-attacks.ts', { execArgv: ['--import', 'tsx'], detached: true });
  await once(attackers, 'spawn');
  setProgramPriority(attackers.pid ?? 0, ATTACKERS_PRIORITY);
  attackers.send(target);
  await once(attackers, 'message');
  return attackers;
}

async function stopAttacks(attackers: ChildProcess, afterMs: number): Promise<Outcomes> {
  await delay(afterMs);
  const answer = once(attackers, 'message');
  attackers.send('stop');
  const [outcomes] = await answer;
  return outcomes;
}

interface Observed {
  times: number[];
  pages: number[];
  /** Anything but a redirect to a visit, and a page to a customer. */
  wrong: Record<string, number>;
  /** The most. */
  usages: Usages;
}

/** Visits from many addresses and pages of a customer, each begun at its time, however long others take. */
async function observe(ms: number, { cookie, slugs }: Customer): Promise<Observed> {
  const observed: Observed = { times: [], pages: [], wrong: {}, usages: {} };
  const until = performance.now() + ms;
  const underway = new Set<Promise<void>>();
  const every = async (eachMs: number, begin: (turn: number) => Promise<void> | undefined) => {
    for (let at = performance.now(), turn = 0; at < until; at += eachMs, turn += 1) {
      const one = begin(turn);
      if (one) underway.add(one.finally(() => underway.delete(one)));
      await delay(Math.max(0, at + eachMs - performance.now()));
    }
  };
  const get = async (times: number[], path: string, expected: number, headers: object) => {
    const started = performance.now();
    const answer = await statusOf(path, headers);
    times.push(performance.now() - started);
    if (answer !== expected) observed.wrong[answer] = (observed.wrong[answer] ?? 0) + 1;
  };
  await Promise.all([
    every(VISIT_EVERY_MS, (turn) => {
      const from = { 'x-forwarded-for': `203.0.${turn % 113}.${turn % 251}` };
      return get(observed.times, `/r/${slugs[turn % slugs.length]}`, 302, from);
    }),
    every(PAGE_EVERY_MS, (turn) =>
      get(observed.pages, ['/user/dashboard', '/user/qrcodes'][turn % 2] ?? '/', 200, {
        cookie,
        'x-forwarded-for': '203.0.113.200',
      }),
    ),
    every(SAMPLE_MS, () => void keepMost(observed.usages, usagesOf(product.pid ?? 0))),
  ]);
  await Promise.all(underway);
  return observed;
}

function statusOf(path: string, headers: object): Promise<number | string> {
  return new Promise((resolve) => {
    const call = request(url + path, { agent, headers: { 'accept-language': 'en-GB', ...headers } });
    call.on('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message)).end();
  });
}

function percentile(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Waits until nothing is left of the attack; what there is then, or in the end. */
async function settle(before: Usages): Promise<Usages> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const left = usagesOf(product.pid ?? 0);
    const isOver = Object.keys(left).every((kind) => usageRow(kind, before[kind], undefined, left[kind]).ok);
    if (isOver || performance.now() > until) return left;
    await delay(SAMPLE_MS);
  }
}

function usageRow(kind: string, before?: Usage, during?: Usage, left?: Usage): Row {
  const mostOf = (figure: keyof Usage) => Math.round((before?.[figure] ?? 0) * 1.1) + 30;
  const megabytes = POOL_LIMITS[kind] ?? mostOf('megabytes');
  const most = { megabytes, descriptors: mostOf('descriptors') };
  return {
    what: `${kind} afterwards`,
    figure: `${left?.megabytes} MB, ${left?.descriptors} descriptors`,
    bar: `≤ ${most.megabytes} MB, ${most.descriptors}`,
    ok: (left?.megabytes ?? 0) <= most.megabytes && (left?.descriptors ?? 0) <= most.descriptors,
    yardstick: `${before?.megabytes} MB, ${before?.descriptors}; under attack ${during?.megabytes} MB, ${during?.descriptors}`,
  };
}
