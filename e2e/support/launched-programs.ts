import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { freePort } from '../../tests/support/free-port';

export const test = base.extend<object, { usedFolder: string }>({
  /** A DATA_DIR that was used once, so that starts on its copies need not create a database. */
  usedFolder: [
    async ({ browserName: _browser }, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'used-'));
      const port = await freePort();
      const program = launch({ HOST_PORT: String(port), DATA_DIR: folder }, '--only=host');
      await untilUp(`http://127.0.0.1:${port}/readyz`);
      await end(program);
      await use(folder);
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

/** A copy with its owners, because as root, PostgreSQL runs as another user. */
export function copyFolder(usedFolder: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'launched-'));
  execFileSync('cp', ['-a', `${usedFolder}/.`, folder]);
  chmodSync(folder, 0o711);
  return folder;
}

/** Ends a launcher, unless it has ended; resolves with its exit code. */
export async function end(program: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  if (program.exitCode === null && program.signalCode === null) {
    const ended = once(program, 'exit');
    program.kill(signal);
    await ended;
  }
  return program.exitCode;
}

/** Starts the product as `npm start` does; stderr also carries that of the programs it starts. */
export function launch(env: Record<string, string>, ...flags: string[]): ChildProcess {
  return spawn(process.execPath, ['runtime/launch.mjs', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      CHECK_DESTINATIONS: 'false',
      DRAIN_SECONDS: '2',
      LOG_LEVEL: 'silent',
      ...env,
    },
  });
}

/** PID of the host process that a launcher started. */
export function hostPid(launcher: ChildProcess): number {
  const pid = childPid(launcher, 'build/host/server.js');
  if (pid === null) throw new Error('the launcher has no host');
  return pid;
}

/** PID of the program that a launcher started with these words in its command; null if there is none. */
export function childPid(launcher: ChildProcess, words: string): number | null {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(launcher.pid)], {
    encoding: 'utf8',
  });
  const line = stdout.split('\n').find((one) => one.includes(words));
  return line === undefined ? null : Number.parseInt(line, 10);
}

export function untilUp(url: string): Promise<void> {
  return expect.poll(() => statusOf(url), { intervals: [50], timeout: 60_000 }).toBe(200);
}

export function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
}

export interface Product {
  url: string;
  hostUrl: string;
  /** Its DATA_DIR. */
  folder: string;
  program: ChildProcess;
  errors: () => string;
}

/** Starts the product on free ports and a copy of a folder; resolves when all of it is up. */
export async function startProduct(usedFolder: string, env: Record<string, string> = {}): Promise<Product> {
  const folder = copyFolder(usedFolder);
  const [port, hostPort] = [await freePort(), await freePort()];
  const program = launch({ PORT: String(port), HOST_PORT: String(hostPort), DATA_DIR: folder, ...env });
  let errors = '';
  program.stderr?.on('data', (text) => {
    errors += text;
  });
  const url = `http://127.0.0.1:${port}`;
  const hostUrl = `http://127.0.0.1:${hostPort}`;
  await untilUp(`${url}/healthz`);
  await untilUp(`${hostUrl}/readyz`);
  return { url, hostUrl, folder, program, errors: () => errors };
}
