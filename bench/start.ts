import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../tests/support/free-port';
import type { Row } from './row';
import { waitFor } from './website';

const STARTS = 3;

/** `npm start` on the data folder of an earlier start, until the home page responds. */
export async function benchStart(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    await startOnce(folder);
    const seconds: number[] = [];
    for (let round = 0; round < STARTS; round += 1) seconds.push(await startOnce(folder));
    const median = seconds.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? Number.POSITIVE_INFINITY;
    return [
      {
        what: '`npm start` to the first home page',
        figure: `${median.toFixed(1)} s (${seconds.map((value) => value.toFixed(1)).join(', ')})`,
        bar: '≤ 4 s',
        ok: median <= 4,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Seconds until home page and host have both responded. Resolves after everything has stopped. */
async function startOnce(folder: string): Promise<number> {
  const [port, hostPort] = [await freePort(), await freePort()];
  const started = performance.now();
  const program = spawn('npm', ['start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PORT: String(port),
      HOST_PORT: String(hostPort),
      DATA_DIR: folder,
      CHECK_DESTINATIONS: 'false',
      LOG_LEVEL: 'error',
    },
  });
  // Website and host share the pipe, so it closes when the last of them has exited.
  const ended = once(program, 'close');
  program.stdout.resume();
  try {
    await Promise.all([
      waitFor(`http://localhost:${port}/`),
      waitFor(`http://127.0.0.1:${hostPort}/healthz`),
    ]);
    return (performance.now() - started) / 1000;
  } finally {
    if (program.pid) process.kill(-program.pid, 'SIGTERM');
    await ended;
  }
}
