import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port';

export interface BuiltWebsite {
  port: number;
  /** Lines that the programs wrote to stderr, newest last. */
  complaints: string[];
  /** Number of files and sockets that its gateway has open. */
  openFiles(): number;
  /** Returns the processor time that its programs took, in seconds. */
  stop(): Promise<number>;
}

/** Starts the built website and its gateway, as `npm start` does, in front of a running host. */
export async function startBuiltWebsite(
  hostUrl: string,
  environment: Record<string, string>,
): Promise<BuiltWebsite> {
  const port = await freePort();
  const usage = join(tmpdir(), `website-usage-${randomUUID()}`);
  const launched = spawn(process.execPath, ['runtime/launch.mjs'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      LOG_LEVEL: 'error',
      PORT: String(port),
      PUBLIC_URL: `http://localhost:${port}`,
      HOST_URL: hostUrl,
      SESSION_SECRET: 'a secret of the fuzzed website that is long enough',
      TRUST_PROXY: 'x-forwarded-for',
      USAGE_FILE: usage,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'report-usage.mjs')}`,
      ...environment,
    },
  });
  const complaints: string[] = [];
  createInterface(launched.stderr).on('line', (line) => complaints.push(line));
  const exited = once(launched, 'exit');
  const isUp = new Promise<void>((resolve, reject) => {
    createInterface(launched.stdout).on('line', (line) => line.includes('Quadrille is at') && resolve());
    exited.then(() => reject(new Error(`the website ended: ${complaints.slice(-20).join('\n')}`)));
  });
  await isUp;
  let stopped: Promise<number> | undefined;

  async function stop(): Promise<number> {
    launched.kill('SIGINT');
    await exited;
    const seconds = readFileSync(usage, 'utf8').trim().split('\n').map(Number);
    rmSync(usage);
    return seconds.reduce((sum, one) => sum + one, 0);
  }

  return {
    port,
    complaints,
    openFiles: () => readdirSync(`/proc/${launched.pid}/fd`).length,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
