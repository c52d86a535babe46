import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../tests/support/free-port';
import { type BenchDatabase, createDatabase } from './databases';
import { hostProgram, start, stop } from './programs';

const BLANK = 'build/bench-blank/server/index.js';
const BLANK_SOURCES = ['bench/blank', 'remix.config.js', 'package-lock.json'];
const START_TIMEOUT_MS = 60_000;

export interface Website {
  /** Base URL without a trailing slash. */
  url: string;
  /** The same of its host, if it has one. */
  hostUrl?: string;
  /** CPU time since its start, and resident memory. */
  usage(): Promise<{ cpuSeconds: number; megabytes: number }>;
  stop(): Promise<void>;
}

/** Starts the built website with its own host and an empty database, with the flags of `npm start`. */
export async function openWebsite({
  database: given,
  host: hostEnv = {},
  website: websiteEnv = {},
}: {
  /** By default a new, empty one; cleared with the website. */
  database?: BenchDatabase;
  host?: Record<string, string>;
  website?: Record<string, string>;
} = {}): Promise<Website> {
  const database = given ?? (await createDatabase());
  const host = await start(hostProgram(), { ...database.env, ...hostEnv });
  const { WEBSITE_FLAGS } = (await import(resolve('runtime/website-flags.mjs'))) as {
    WEBSITE_FLAGS: string[];
  };
  const website = await serve('build/server/index.js', {
    HOST_URL: `http://127.0.0.1:${host.port}`,
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: WEBSITE_FLAGS.join(' '),
    DATA_DIR: database.env.DATA_DIR ?? '',
    ...websiteEnv,
  });
  return {
    ...website,
    hostUrl: `http://127.0.0.1:${host.port}`,
    async stop() {
      await website.stop();
      await stop(host.child);
      await database.clear();
    },
  };
}

/** Serves the blank page on plain Node; builds it if missing or older than its sources. */
export async function openBlank(): Promise<Website> {
  const changedAt = Math.max(...BLANK_SOURCES.map((path) => statSync(path).mtimeMs));
  if (!existsSync(BLANK) || statSync(BLANK).mtimeMs < changedAt) {
    execFileSync('npx', ['remix', 'vite:build', '--config', 'bench/blank/vite.config.ts'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return serve(BLANK, {});
}

/** Resolves when `url` responds with 200; throws after a minute. */
export async function waitFor(url: string): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until) {
    const response = await fetch(url).catch(() => null);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await pause(20);
  }
  throw new Error(`no answer from ${url}`);
}

async function serve(build: string, env: Record<string, string>): Promise<Website> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const child = fork('node_modules/@remix-run/serve/dist/cli.js', [build], {
    execArgv: ['--import', './bench/meter.mjs'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), PUBLIC_URL: url, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await waitFor(url);
  return { url, usage: () => requestUsage(child), stop: () => stop(child) };
}

async function requestUsage(child: ChildProcess): Promise<{ cpuSeconds: number; megabytes: number }> {
  const answer = once(child, 'message');
  child.send('usage');
  const [usage] = await answer;
  return usage;
}
