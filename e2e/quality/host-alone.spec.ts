import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { freePort } from '../../tests/support/free-port';
import { hostPid, launch, untilUp } from '../support/launched-programs';

test.describe.configure({ timeout: 120_000 });

const cleanups: (() => unknown)[] = [];

test.afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'host-alone-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const launcher = launch({ HOST_PORT: String(port), DATA_DIR: folder, ...env }, '--only=host');
  cleanups.push(() => end(launcher, 'SIGINT'));
  return { launcher, port };
}

async function end(launcher: ChildProcess, signal: 'SIGINT' | 'SIGTERM'): Promise<number | null> {
  if (launcher.exitCode === null) {
    const ended = once(launcher, 'exit');
    launcher.kill(signal);
    await ended;
  }
  return launcher.exitCode;
}

async function occupy(port: number): Promise<void> {
  const server: Server = createServer((_, response) => response.end('I was here first')).listen(
    port,
    '127.0.0.1',
  );
  await once(server, 'listening');
  cleanups.push(() => server.close());
}

test('a host that listens on a specific address is restarted when it dies', async () => {
  const { launcher, port } = await start({ HOST_ADDRESS: '127.0.0.2' });
  const address = `http://127.0.0.2:${port}`;
  await untilUp(`${address}/readyz`);
  // Give the launcher time to notice that the host is up.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = hostPid(launcher);
  process.kill(before, 'SIGKILL');
  await untilUp(`${address}/livez`);
  expect(hostPid(launcher)).not.toBe(before);
});

test('another program on the port is not mistaken for the host', async () => {
  const port = await freePort();
  await occupy(port);
  const { launcher } = await start({ HOST_PORT: String(port), LOG_LEVEL: 'info' });
  const stderr = launcher.stderr && text(launcher.stderr);
  const [code] = await once(launcher, 'exit');
  expect(code).toBe(1);
  expect(await stderr).toContain(`Another program already listens at http://127.0.0.1:${port}`);
});

test('a host is given time to drain before it is killed', async () => {
  const { launcher, port } = await start({ DRAIN_SECONDS: '11' });
  await untilUp(`http://127.0.0.1:${port}/readyz`);
  expect(await end(launcher, 'SIGTERM')).toBe(0);
});
