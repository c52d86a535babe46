// Starts the product: builds it when needed, then runs host and website behind a gateway until one Ctrl-C stops all.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownHostUrl } from './own-address.mjs';
import { findFreePort, isListening } from './ports.mjs';
import { PostgresUnavailable } from './postgres/postgres.mjs';
import { SupervisedPostgres } from './postgres/supervised.mjs';
import { setOwnPriority, setProgramPriority } from './priority.mjs';
import { restartDelay } from './restart-delay.mjs';
import { WEBSITE_FLAGS } from './website-flags.mjs';

const SOURCES = [
  'app',
  'contract',
  'host',
  'locales',
  'package-lock.json',
  'remix.config.js',
  'runtime',
  'vite.config.ts',
];
const BUILT = [
  'build/server/index.js',
  'build/drawing/drawing-process.js',
  'build/host/server.js',
  'build/runtime/gateway/open-gateway.js',
  'build/host/codes/upload-process.js',
  'build/host/accounts/hashing-process.js',
];
/** Time limit for everything after draining, and in it for the programs. */
const SHUTDOWN_MS = 10_000;
const STOP_PROGRAMS_MS = 9_000;
/** How long programs of an earlier launcher may take to end, which notice that it was killed. */
const EARLIER_PROGRAMS_MS = 12_000;
/** Each attempt costs the starting programs time. */
const POLL_MS = 100;
/** Before a program is started again for which there was no memory, for example. */
const RETRY_MS = 10_000;
/**
 * Visits first when there is too little processor time: gateway and host before all else where the system allows it, and
 * the database with three times the share of the pages.
 */
const VISITS_PRIORITY = -10;
const WEBSITE_PRIORITY = 5;
/** Ends a program when this process is gone. */
const TIED = ['--import', './runtime/end-with-launcher.mjs'];

const flags = new Set(process.argv.slice(2));
if (existsSync('.env')) process.loadEnvFile('.env');
// The website needs no database.
delete process.env.EMBEDDED_DATABASE_URL;
// A separate folder, so that the account with a well-known password never gets into real data.
if (flags.has('--demo')) process.env.DATA_DIR = join(process.env.DATA_DIR || './data', 'demo');

const isDevelopment = flags.has('--dev');
const withHost = !flags.has('--only=web') && (flags.has('--only=host') || !process.env.HOST_URL);
const withWeb = !flags.has('--only=host');
const hostUrl = ownHostUrl(process.env.HOST_ADDRESS, process.env.HOST_PORT || '4000');

if (!isDevelopment) buildWhenStale();
// After the build, which other users may serve: files written by the programs are private to their owner.
process.umask(0o077);
// Programs started together need no setting to trust each other.
if (withHost && withWeb) process.env.INTERNAL_SECRET ||= randomBytes(32).toString('hex');
// Both programs use the public port in links and printed codes; the website itself listens on another one.
if (withHost && withWeb) process.env.PUBLIC_URL ||= `http://localhost:${process.env.PORT || '3000'}`;

const database = withHost && !process.env.DATABASE_URL ? await openDatabase() : null;
const gateway = withWeb && !isDevelopment ? await openGateway() : null;
let exitCode = 0;
let isStopping = false;
const programs = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));

// The programs do not wait for it: codes are answered without.
database?.run().catch(failWith);
if (withWeb) programs.push(superviseWebsite());
if (withHost) programs.push(superviseHost());
if (withWeb) announceWhenUp();

/** Creates the embedded database if there is none; another launcher that uses it is not disturbed. */
async function openDatabase() {
  try {
    return await SupervisedPostgres.open(process.env.DATA_DIR || './data');
  } catch (error) {
    if (!(error instanceof PostgresUnavailable)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** Opens the public port in this process; the website behind it listens on its own port on loopback. */
async function openGateway() {
  const { openGateway } = await import(new URL('../build/runtime/gateway/open-gateway.js', import.meta.url));
  const publicPorts = [Number(process.env.PORT || 3000), Number(process.env.HOST_PORT || 4000)];
  const websitePort =
    Number(process.env.WEBSITE_PORT) || (await findFreePort((port) => publicPorts.includes(port)));
  const startedPrograms = withHost ? ['host', 'website'] : ['website'];
  setOwnPriority(VISITS_PRIORITY);
  try {
    return { websitePort, ...(await openGateway(process.env, websitePort, startedPrograms)) };
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function superviseHost() {
  const env = {
    ...(gateway && { DRAIN_SECONDS: '0' }),
    ...(database && { EMBEDDED_DATABASE_URL: database.url }),
  };
  const program = flags.has('--demo') ? 'demo' : 'server';
  const args = isDevelopment
    ? ['node_modules/tsx/dist/cli.mjs', 'watch', 'host/server.ts']
    : ['--enable-source-maps', `build/host/${program}.js`];
  return supervise(hostUrl, () => start(args, { env, priority: VISITS_PRIORITY }));
}

function superviseWebsite() {
  if (isDevelopment) {
    const port = process.env.PORT || '3000';
    const args = ['node_modules/@remix-run/dev/dist/cli.js', 'vite:dev', '--port', port];
    return supervise(`http://localhost:${port}`, () => start(args));
  }
  const { websitePort } = gateway;
  const { NODE_OPTIONS = '' } = process.env;
  // The website logs to standard error; the lines of remix-serve would repeat that with tokens in the URLs.
  const stdio = ['inherit', 'ignore', 'inherit'];
  const env = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(websitePort),
    // The gateway has drained before this program is told to stop.
    DRAIN_SECONDS: '0',
    // Flags from the environment come last, so that they take precedence.
    NODE_OPTIONS: [...WEBSITE_FLAGS, NODE_OPTIONS].join(' '),
  };
  const remixServe = ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'];
  const options = { env, stdio, priority: WEBSITE_PRIORITY };
  return supervise(`http://127.0.0.1:${websitePort}`, () => start(remixServe, options));
}

/**
 * Starts a program, and again if it ends by itself, with growing delays until it responds. If it exits before its first
 * response it is misconfigured: that stops everything with its exit code.
 */
function supervise(address, launch) {
  const program = { address, child: undefined, wasUp: false, failures: 0 };
  // Responses on that port would be taken for those of the program.
  const beginOnFreePort = async () => {
    if (await isTaken(address))
      return failWith(
        new Error(`Another program already listens at ${address}: stop it, or set another port.`),
      );
    begin();
  };
  const begin = () => {
    if (isStopping) return;
    try {
      program.child = launch();
    } catch (error) {
      return onFailure(error);
    }
    program.child.once('exit', onExit);
    program.child.once('error', onFailure);
    waitUntilUp(program, program.child);
  };
  // Such as a lack of memory for another process: the running programs continue.
  const onFailure = (error) => {
    if (isStopping) return;
    if (!program.wasUp) return failWith(new Error(`A program cannot be started: ${error.message}`));
    process.stderr.write(`A program cannot be started: ${error.message}\n`);
    setTimeout(begin, RETRY_MS);
  };
  const onExit = (code, signal) => {
    if (isStopping) return;
    if ((!program.wasUp && code !== null) || isDevelopment) {
      exitCode = code ?? 1;
      return stop('SIGINT');
    }
    program.failures += 1;
    process.stderr.write(`A program ended (${signal ?? code}) and is started again.\n`);
    setTimeout(begin, restartDelay(program.failures));
  };
  beginOnFreePort();
  return program;
}

/** After its first response a program counts as configured correctly, even while its database is down. */
async function waitUntilUp(program, child) {
  await untilStatus(
    `${program.address}/livez`,
    (status) => status < 500,
    () => !isAlive(child),
  );
  if (!isAlive(child)) return;
  program.wasUp = true;
  program.failures = 0;
}

/** One sentence instead of a stack trace. */
function failWith(error) {
  process.stderr.write(`${error.message}\n`);
  exitCode = 1;
  stop('SIGINT');
}

async function announceWhenUp() {
  // The host first: the website, which asks it, is the last to be ready.
  for (const { address } of programs.toReversed())
    await untilStatus(`${address}/readyz`, (status) => status < 500);
  const port = gateway?.port ?? (process.env.PORT || '3000');
  if (!isStopping) process.stdout.write(`\nQuadrille is at http://localhost:${port}\n\n`);
}

async function untilStatus(url, isWanted, isOver = () => false) {
  const statusOf = () =>
    fetch(url).then(
      (response) => response.status,
      () => Number.POSITIVE_INFINITY,
    );
  while (!isStopping && !isOver() && !isWanted(await statusOf()))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** In its own process group: the terminal's Ctrl-C reaches only this process, which then stops each child once. */
function start(args, { env = {}, stdio = ['inherit', 'inherit', 'inherit'], priority = 0 } = {}) {
  const child = spawn('node', [...TIED, ...args], {
    stdio: [...stdio, 'ipc'],
    detached: true,
    env: { ...process.env, ...env },
  });
  if (child.pid) setProgramPriority(child.pid, priority);
  return child;
}

/**
 * The gateway first, so that no request reaches a stopping program; at a terminal there is no load balancer to drain.
 * The database last.
 */
async function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  await gateway?.close(signal === 'SIGTERM' ? gateway.drainMs : 0);
  const drainMs = gateway ? 0 : Number(process.env.DRAIN_SECONDS || '2') * 1_000;
  const startedAt = performance.now();
  const living = programs.map(({ child }) => child).filter(isAlive);
  for (const child of living) send(child, 'SIGTERM');
  const timer = setTimeout(() => {
    exitCode = 1;
    for (const child of living) send(child, 'SIGKILL');
  }, drainMs + STOP_PROGRAMS_MS);
  await Promise.all(living.map((child) => isAlive(child) && once(child, 'exit')));
  clearTimeout(timer);
  await database?.stop(drainMs + SHUTDOWN_MS - (performance.now() - startedAt));
  process.exit(exitCode);
}

function isAlive(child) {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function send(child, signal) {
  if (isAlive(child)) process.kill(isDevelopment ? -child.pid : child.pid, signal);
}

/** Programs of a launcher that was killed stop by themselves. */
async function isTaken(address) {
  const askedAt = performance.now();
  while (!isStopping && (await isListening(address))) {
    if (performance.now() - askedAt > EARLIER_PROGRAMS_MS) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

function buildWhenStale() {
  if (BUILT.every(existsSync)) {
    const builtAt = Math.min(...BUILT.map((file) => statSync(file).mtimeMs));
    if (SOURCES.every((source) => newest(source) < builtAt)) return;
  }
  run('npm', ['run', 'build']);
}

function newest(path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
