import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@playwright/test';
import { freePort } from '../../tests/support/free-port';
import {
  childPid,
  end,
  hostPid,
  launch,
  type Product,
  startProduct,
  statusOf,
  test,
  untilUp,
} from '../support/launched-programs';

// The tests share one running product, which a later test shuts down.
test.describe.configure({ mode: 'serial', timeout: 120_000 });

let product: Product;

test.beforeAll(async ({ usedFolder }) => {
  // Long enough for what is asked while it stops.
  product = await startProduct(usedFolder, { DRAIN_SECONDS: '8' });
});

test.afterAll(async () => {
  await end(product.program);
  rmSync(product.folder, { recursive: true });
});

test('without a PUBLIC_URL, links use the port that browsers connect to', async () => {
  const { port } = new URL(product.url);
  const page = await (await fetch(`${product.url}/faq`)).text();
  expect(page).toContain(`<link rel="canonical" href="http://localhost:${port}/faq"`);
});

test('a second launcher on the same folder is refused, and disturbs nothing', async () => {
  const { folder, url, hostUrl, program } = product;
  const ports = { PORT: String(await freePort()), HOST_PORT: String(await freePort()) };
  const second = launch({ DATA_DIR: folder, ...ports });
  const errors = second.stderr && text(second.stderr);
  const [code] = await once(second, 'exit');
  expect([code, await errors]).toEqual([
    1,
    `Quadrille already runs on ${folder}: stop it, or set another DATA_DIR.\n`,
  ]);
  expect([await statusOf(`${url}/readyz`), await statusOf(`${hostUrl}/readyz`)]).toEqual([200, 200]);
  expect(childPid(program, 'bin/postgres')).not.toBeNull();
});

test('a host that dies is restarted while the website stays up and scans wait', async () => {
  const { url, hostUrl } = product;
  const before = hostPid(product.program);
  process.kill(before, 'SIGKILL');
  expect(await statusOf(`${url}/livez`)).toBe(200);
  // Looking up an unknown code needs the host, so a 404 proves that it is back. On a busy machine the restart
  // may take longer than a scan waits, which results in a 503 page but never in a refused connection.
  const seen: number[] = [];
  await expect
    .poll(async () => seen.push(await statusOf(`${url}/r/AAAAAAAA`)) && seen.at(-1), {
      intervals: [50],
      timeout: 60_000,
    })
    .toBe(404);
  expect(seen.filter((status) => status !== 404 && status !== 503)).toEqual([]);
  await untilUp(`${hostUrl}/readyz`);
  expect(hostPid(product.program)).not.toBe(before);
});

test('a host that cannot start takes nothing else down and is started as soon as possible', async ({
  usedFolder,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'));
  const node = join(folder, 'node');
  symlinkSync(process.execPath, node);
  const other = await startProduct(usedFolder, { PATH: folder });
  try {
    rmSync(node);
    process.kill(hostPid(other.program), 'SIGKILL');
    await expect
      .poll(other.errors, { intervals: [50], timeout: 60_000 })
      .toContain('A program cannot be started');
    expect(await statusOf(`${other.url}/livez`)).toBe(200);
    symlinkSync(process.execPath, node);
    await untilUp(`${other.hostUrl}/readyz`);
  } finally {
    await end(other.program);
    rmSync(other.folder, { recursive: true });
    rmSync(folder, { recursive: true });
  }
});

test('on SIGTERM, the health check fails while pages are still served, and the product exits soon after', async () => {
  const { url, program } = product;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await expect.poll(() => statusOf(`${url}/readyz`), { intervals: [20] }).toBe(503);
  expect(await statusOf(`${url}/faq`)).toBe(200);
  expect((await ended)[0]).toBe(0);
});

test('an invalid setting ends with an error instead of endless restarts', async () => {
  const [code] = await once(launch({ HOST_PORT: 'none' }), 'exit');
  expect(code).not.toBe(0);
});
