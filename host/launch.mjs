// Starts the product: builds it when needed, then runs host and website until one Ctrl-C stops both.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WEBSITE_FLAGS } from './website-flags.mjs';

const SOURCES = [
  'app',
  'contract',
  'host',
  'locales',
  'package-lock.json',
  'remix.config.js',
  'vite.config.ts',
];
const BUILT = ['build/server/index.js', 'build/host/server.js'];
const SHUTDOWN_MS = 10_000;

const flags = new Set(process.argv.slice(2));
if (existsSync('.env')) process.loadEnvFile('.env');
// A folder of its own, so that the account whose password everybody knows never gets into anybody's data.
if (flags.has('--demo')) process.env.DATA_DIR = join(process.env.DATA_DIR || './data', 'demo');

const isDevelopment = flags.has('--dev');
const withHost = !flags.has('--only=web') && (flags.has('--only=host') || !process.env.HOST_URL);
const withWeb = !flags.has('--only=host');

if (!isDevelopment) buildWhenStale();
if (flags.has('--demo')) run('node', ['build/host/demo.js']);

let exitCode = 0;
let isStopping = false;
const children = [withHost && startHost(), withWeb && startWeb()].filter(Boolean);

for (const child of children) {
  child.once('exit', (code, signal) => {
    if (!isStopping) exitCode = code ?? (signal ? 1 : 0);
    stop();
  });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);

function startHost() {
  return isDevelopment
    ? start('npx', ['tsx', 'watch', 'host/server.ts'])
    : start('node', ['--enable-source-maps', 'build/host/server.js']);
}

function startWeb() {
  if (isDevelopment) return start('npx', ['remix', 'vite:dev', '--port', process.env.PORT || '3000']);
  const port = process.env.PORT || '3000';
  announceWhenUp(`http://localhost:${port}`);
  // The website logs to standard error; what remix-serve prints itself would repeat it with tokens in the addresses.
  return start('node', ['node_modules/@remix-run/serve/dist/cli.js', 'build/server/index.js'], {
    // Flags of the environment come last, so that they win.
    env: {
      NODE_ENV: 'production',
      PORT: port,
      NODE_OPTIONS: [...WEBSITE_FLAGS, process.env.NODE_OPTIONS ?? ''].join(' '),
    },
    stdio: ['inherit', 'ignore', 'inherit'],
  });
}

async function announceWhenUp(address) {
  const programs = [address, withHost && `http://127.0.0.1:${process.env.HOST_PORT || '4000'}`].filter(
    Boolean,
  );
  const isUp = (program) =>
    fetch(`${program}/healthz`).then(
      (response) => response.ok,
      () => false,
    );
  const areUp = async () => (await Promise.all(programs.map(isUp))).every(Boolean);
  while (!isStopping && !(await areUp())) await new Promise((resolve) => setTimeout(resolve, 100));
  if (!isStopping) process.stdout.write(`\nQuadrille is at ${address}\n\n`);
}

/** In a process group of its own: the terminal's Ctrl-C reaches only this program, which then stops each child once. */
function start(command, args, { env = {}, stdio = 'inherit' } = {}) {
  return spawn(command, args, { stdio, detached: true, env: { ...process.env, ...env } });
}

function stop() {
  if (isStopping) return;
  isStopping = true;
  const living = children.filter((child) => child.exitCode === null && child.signalCode === null);
  for (const child of living) signal(child, 'SIGTERM');
  const timer = setTimeout(() => {
    exitCode = 1;
    for (const child of living) signal(child, 'SIGKILL');
  }, SHUTDOWN_MS);
  Promise.all(living.map((child) => new Promise((resolve) => child.once('exit', resolve)))).then(() => {
    clearTimeout(timer);
    process.exit(exitCode);
  });
}

function signal(child, name) {
  if (child.exitCode === null && child.signalCode === null)
    process.kill(isDevelopment ? -child.pid : child.pid, name);
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
