import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

// One product for all of them, the last of which ends it.
test.describe.configure({ mode: 'serial', timeout: 120_000 });

let product: Product;

test.beforeAll(async () => {
  product = await startProduct();
});

test.afterAll(async () => {
  if (product.program.exitCode === null) {
    const ended = once(product.program, 'exit');
    product.program.kill('SIGINT');
    await ended;
  }
  rmSync(product.folder, { recursive: true });
});

test('a host that dies is started again, while the website stays and scans wait for it', async () => {
  const { url, hostUrl } = product;
  const before = hostPid(product);
  process.kill(before, 'SIGKILL');
  expect(await statusOf(`${url}/livez`)).toBe(200);
  // An address that nobody made is looked up by the host and told of by the website. On a busy machine the start may take
  // longer than a scan waits: then a page says so, but no connection is ever refused.
  const seen: number[] = [];
  await expect
    .poll(async () => seen.push(await statusOf(`${url}/r/AAAAAAAA`)) && seen.at(-1), { timeout: 60_000 })
    .toBe(404);
  expect(seen.filter((status) => status !== 404 && status !== 503)).toEqual([]);
  await untilUp(`${hostUrl}/readyz`);
  expect(hostPid(product)).not.toBe(before);
});

test('told to stop, it fails its health check while it still answers, and is gone soon after', async () => {
  const { url, program } = product;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await expect.poll(() => statusOf(`${url}/readyz`), { intervals: [20] }).toBe(503);
  expect(await statusOf(`${url}/faq`)).toBe(200);
  expect((await ended)[0]).toBe(0);
});

test('what is set up wrong ends with an error instead of starting for ever', async () => {
  const [code] = await once(launch({ HOST_PORT: 'none' }), 'exit');
  expect(code).not.toBe(0);
});

interface Product {
  url: string;
  hostUrl: string;
  folder: string;
  program: ChildProcess;
}

async function startProduct(): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'restart-'));
  const [port, hostPort] = [await freePort(), await freePort()];
  const program = launch({ PORT: String(port), HOST_PORT: String(hostPort), DATA_DIR: folder });
  const url = `http://127.0.0.1:${port}`;
  const hostUrl = `http://127.0.0.1:${hostPort}`;
  await untilUp(`${url}/healthz`);
  await untilUp(`${hostUrl}/readyz`);
  return { url, hostUrl, folder, program };
}

function untilUp(url: string): Promise<void> {
  return expect.poll(() => statusOf(url), { timeout: 60_000 }).toBe(200);
}

function launch(env: Record<string, string>): ChildProcess {
  return spawn('node', ['host/launch.mjs'], {
    stdio: 'ignore',
    env: { ...process.env, DRAIN_SECONDS: '2', LOG_LEVEL: 'silent', ...env },
  });
}

function hostPid({ program }: Product): number {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(program.pid)]).toString();
  const line = listed.split('\n').find((one) => one.includes('build/host/server.js'));
  if (!line) throw new Error(`no host among ${listed}`);
  return Number.parseInt(line, 10);
}

function statusOf(url: string): Promise<number> {
  return fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
