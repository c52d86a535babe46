// Starts the product: builds it when needed, then runs host and website behind a gateway until one Ctrl-C stops all.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { ownHostUrl } from './own-address.mjs';
import { WEBSITE_FLAGS } from './website-flags.mjs';

const SOURCES = [
  'app',
  'contract',
  'host',
  'locales',
  'package-lock.json',
  'processes',
  'remix.config.js',
  'vite.config.ts',
];
const BUILT = [
  'build/server/index.js',
  'build/drawing/drawing-process.js',
  'build/host/server.js',
  'build/host/gateway/open-gateway.js',
  'build/host/codes/upload-process.js',
  'build/host/accounts/hashing-process.js',
];
/** Time limit for a program after draining. */
const SHUTDOWN_MS = 10_000;
const CONNECT_MS = 1_000;
/** Each attempt costs the starting programs time. */
const POLL_MS = 100;
/** A program that ends after running for this long is restarted without delay. */
const STABLE_MS = 30_000;
const FIRST_RESTART_MS = 250;
const LAST_RESTART_MS = 10_000;

const flags = new Set(process.argv.slice(2));
if (existsSync('.env')) process.loadEnvFile('.env');
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

const gateway = withWeb && !isDevelopment ? await openGateway() : null;
let exitCode = 0;
let isStopping = false;
const programs = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));

if (withWeb) programs.push(superviseWebsite());
if (withHost) programs.push(superviseHost());
if (withWeb) announceWhenUp();

/** Opens the public port in this process; the website behind it listens on its own port on loopback. */
async function openGateway() {
  const { openGateway } = await import(new URL('../build/host/gateway/open-gateway.js', import.meta.url));
  const websitePort = Number(process.env.WEBSITE_PORT) || (await findFreePort());
  const startedPrograms = withHost ? ['host', 'website'] : ['website'];
  try {
    return { websitePort, ...(await openGateway(process.env, websitePort, startedPrograms)) };
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function superviseHost() {
  if (isDevelopment) return supervise(hostUrl, () => start('npx', ['tsx', 'watch', 'host/server.ts']));
  const program = flags.has('--demo') ? 'demo' : 'server';
  const env = gateway ? { DRAIN_SECONDS: '0' } : {};
  return supervise(hostUrl, () =>
    start('node', ['--enable-source-maps', `build/host/${program}.js`], { env }),
  );
}

function superviseWebsite() {
  if (isDevelopment) {
    const port = process.env.PORT || '3000';
    return supervise(`http://localhost:${port}`, () => start('npx', ['remix', 'vite:dev', '--port', port]));
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
  return supervise(`http://127.0.0.1:${websitePort}`, () => start('node', remixServe, { env, stdio }));
}

/**
 * Starts a program, and restarts it if it ends by itself, with growing delays if that happens soon. If it never came up
 * it is misconfigured: that stops everything with its exit code.
 */
function supervise(address, launch) {
  const program = { address, child: undefined, wasUp: false };
  let startedAt = 0;
  let failures = 0;
  // Responses on that port would be taken for those of the program.
  const beginOnFreePort = async () => {
    if (await isListening(address)) {
      process.stderr.write(`Another program already listens at ${address}: stop it, or set another port.\n`);
      exitCode = 1;
      return stop('SIGINT');
    }
    begin();
    waitUntilUp(program);
  };
  const begin = () => {
    if (isStopping) return;
    startedAt = Date.now();
    try {
      program.child = launch();
    } catch (error) {
      return onFailure(error);
    }
    program.child.once('exit', onExit);
    program.child.once('error', onFailure);
  };
  // Such as a lack of memory for another process: the running programs continue.
  const onFailure = (error) => {
    if (isStopping) return;
    process.stderr.write(`A program cannot be started: ${error.message}\n`);
    if (program.wasUp) return void setTimeout(begin, LAST_RESTART_MS);
    exitCode = 1;
    stop('SIGINT');
  };
  const onExit = (code, signal) => {
    if (isStopping) return;
    if (!program.wasUp || isDevelopment) {
      exitCode = code ?? (signal ? 1 : 0);
      return stop('SIGINT');
    }
    failures = Date.now() - startedAt > STABLE_MS ? 1 : failures + 1;
    const waitMs = failures === 1 ? 0 : Math.min(LAST_RESTART_MS, FIRST_RESTART_MS * 2 ** (failures - 2));
    process.stderr.write(`A program ended (${signal ?? code}) and is started again.\n`);
    setTimeout(begin, waitMs);
  };
  beginOnFreePort();
  return program;
}

/** After its first response a program counts as configured correctly, even while its database is down. */
async function waitUntilUp(program) {
  await untilStatus(`${program.address}/livez`, (status) => status < 500);
  program.wasUp = true;
}

async function announceWhenUp() {
  // The host first: the website, which asks it, is the last to be ready.
  for (const { address } of programs.toReversed())
    await untilStatus(`${address}/readyz`, (status) => status < 500);
  const port = gateway?.port ?? (process.env.PORT || '3000');
  if (!isStopping) process.stdout.write(`\nQuadrille is at http://localhost:${port}\n\n`);
}

async function untilStatus(url, isWanted) {
  const statusOf = () =>
    fetch(url).then(
      (response) => response.status,
      () => Number.POSITIVE_INFINITY,
    );
  while (!isStopping && !isWanted(await statusOf()))
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** In its own process group: the terminal's Ctrl-C reaches only this process, which then stops each child once. */
function start(command, args, { env = {}, stdio = 'inherit' } = {}) {
  return spawn(command, args, { stdio, detached: true, env: { ...process.env, ...env } });
}

/**
 * The gateway first, so that no request reaches a stopping program; at a terminal there is no load balancer to drain.
 */
async function stop(signal) {
  if (isStopping) return;
  isStopping = true;
  await gateway?.close(signal === 'SIGTERM' ? gateway.drainMs : 0);
  const drainMs = gateway ? 0 : Number(process.env.DRAIN_SECONDS || '2') * 1_000;
  const living = programs.map(({ child }) => child).filter(isAlive);
  for (const child of living) send(child, 'SIGTERM');
  const timer = setTimeout(() => {
    exitCode = 1;
    for (const child of living) send(child, 'SIGKILL');
  }, drainMs + SHUTDOWN_MS);
  await Promise.all(living.map((child) => isAlive(child) && once(child, 'exit')));
  clearTimeout(timer);
  process.exit(exitCode);
}

function isAlive(child) {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function send(child, signal) {
  if (isAlive(child)) process.kill(isDevelopment ? -child.pid : child.pid, signal);
}

/** An invalid port is refused by the program itself. */
async function isListening(address) {
  if (!URL.canParse(address)) return false;
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) });
  const isConnected = await new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.setTimeout(CONNECT_MS, () => resolve(false));
  });
  socket.destroy();
  return isConnected;
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
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
