import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from '@playwright/test';
import { freePort } from '../../tests/support/free-port';
import { copyFolder, end, hostPid, launch, test, untilUp } from '../support/launched-programs';

test.describe.configure({ timeout: 120_000 });

const cleanups: (() => unknown)[] = [];

test.afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(usedFolder: string, env: Record<string, string>) {
  const folder = copyFolder(usedFolder);
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const launcher = launch({ HOST_PORT: String(port), DATA_DIR: folder, ...env }, '--only=host');
  cleanups.push(() => end(launcher));
  return { launcher, port };
}

async function occupy(port: number): Promise<void> {
  const server: Server = createServer((_, response) => response.end('I was here first')).listen(
    port,
    '127.0.0.1',
  );
  await once(server, 'listening');
  cleanups.push(() => server.close());
}

test('a host that listens on a specific address is restarted when it dies', async ({ usedFolder }) => {
  const { launcher, port } = await start(usedFolder, { HOST_ADDRESS: '127.0.0.2' });
  const address = `http://127.0.0.2:${port}`;
  await untilUp(`${address}/readyz`);
  const before = hostPid(launcher);
  process.kill(before, 'SIGKILL');
  await untilUp(`${address}/livez`);
  expect(hostPid(launcher)).not.toBe(before);
});

test('another program on the port is not mistaken for the host', async ({ usedFolder }) => {
  const port = await freePort();
  await occupy(port);
  const { launcher } = await start(usedFolder, { HOST_PORT: String(port), LOG_LEVEL: 'info' });
  const stderr = launcher.stderr && text(launcher.stderr);
  const [code] = await once(launcher, 'exit');
  expect(code).toBe(1);
  expect(await stderr).toContain(`Another program already listens at http://127.0.0.1:${port}`);
});

test('a host is given time to drain before it is killed', async ({ usedFolder }) => {
  const { launcher, port } = await start(usedFolder, { DRAIN_SECONDS: '11' });
  await untilUp(`http://127.0.0.1:${port}/readyz`);
  expect(await end(launcher, 'SIGTERM')).toBe(0);
});
