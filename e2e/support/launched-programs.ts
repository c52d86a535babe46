import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { expect } from '@playwright/test';

/** Starts the product as `npm start` does; stderr also carries that of the programs it starts. */
export function launch(env: Record<string, string>, ...flags: string[]): ChildProcess {
  return spawn(process.execPath, ['host/launch.mjs', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DRAIN_SECONDS: '2', LOG_LEVEL: 'silent', ...env },
  });
}

/** PID of the host process that a launcher started. */
export function hostPid(launcher: ChildProcess): number {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(launcher.pid)]).toString();
  const line = listed.split('\n').find((one) => one.includes('build/host/server.js'));
  if (!line) throw new Error(`no host among ${listed}`);
  return Number.parseInt(line, 10);
}

export function untilUp(url: string): Promise<void> {
  return expect.poll(() => statusOf(url), { timeout: 60_000 }).toBe(200);
}

export function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
}
