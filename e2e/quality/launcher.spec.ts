import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { freePort } from '../../tests/support/free-port';
import { childPid, copyFolder, end, launch, statusOf, test, untilUp } from '../support/launched-programs';

test.describe.configure({ timeout: 120_000 });

const cleanups: (() => unknown)[] = [];

test.afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const POSTGRES = 'bin/postgres';
const HOST = 'build/host/';

/** A data folder, and programs that are started on it with the same ports each time. */
async function installation(usedFolder: string) {
  const folder = copyFolder(usedFolder);
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const [port, hostPort] = [await freePort(), await freePort()];
  const env = { PORT: String(port), HOST_PORT: String(hostPort), DATA_DIR: folder };
  const [url, hostUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${hostPort}`];
  const start = (...flags: string[]) => {
    const program = launch(env, ...flags);
    cleanups.push(() => end(program));
    return program;
  };
  const isUp = async () => {
    await untilUp(`${hostUrl}/readyz`);
    await untilUp(`${url}/readyz`);
  };
  return { folder, env, url, hostUrl, start, isUp };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('after the launcher was killed, a second start takes over its database and its ports', async ({
  usedFolder,
}) => {
  const { start, isUp } = await installation(usedFolder);
  const first = start();
  await isUp();
  const [database, host] = [childPid(first, POSTGRES) ?? 0, childPid(first, HOST) ?? 0];
  await end(first, 'SIGKILL');
  expect(isAlive(database)).toBe(true);
  const second = start();
  await expect.poll(() => childPid(second, HOST), { intervals: [50], timeout: 30_000 }).not.toBeNull();
  await expect.poll(() => isAlive(host), { intervals: [50] }).toBe(false);
  await isUp();
  expect(isAlive(database)).toBe(true);
  expect(await end(second, 'SIGTERM')).toBe(0);
  await expect.poll(() => isAlive(database), { intervals: [50] }).toBe(false);
});

test('programs that are killed are started again: the database, and a host before its first response', async ({
  usedFolder,
}) => {
  const { start, isUp, hostUrl } = await installation(usedFolder);
  const program = start();
  await expect.poll(() => childPid(program, HOST), { intervals: [20], timeout: 60_000 }).not.toBeNull();
  process.kill(childPid(program, HOST) ?? 0, 'SIGKILL');
  await isUp();
  const database = childPid(program, POSTGRES) ?? 0;
  process.kill(database, 'SIGKILL');
  await expect
    .poll(() => childPid(program, POSTGRES), { intervals: [50], timeout: 30_000 })
    .not.toBe(database);
  await expect.poll(() => statusOf(`${hostUrl}/readyz`), { intervals: [50], timeout: 30_000 }).toBe(200);
});

test('npm passes its signal on, and everything ends', async ({ usedFolder }) => {
  const { env, isUp, url } = await installation(usedFolder);
  const npm = spawn('npm', ['start'], {
    stdio: 'ignore',
    env: { ...process.env, LOG_LEVEL: 'silent', ...env },
  });
  cleanups.push(() => end(npm, 'SIGTERM'));
  await isUp();
  expect(await end(npm, 'SIGTERM')).toBe(0);
  expect(await statusOf(`${url}/livez`)).toBe(0);
});

test('while its database is damaged, a host answers printed codes, and says what is wrong', async ({
  usedFolder,
}) => {
  const { start, isUp, folder, url } = await installation(usedFolder);
  const intact = start('--demo');
  await isUp();
  const slug = await slugOf('https://example.com/menu', folder);
  await end(intact);
  const control = join(folder, 'demo/postgres/global/pg_control');
  writeFileSync(control, readFileSync(control).fill(7, 0, 100));
  const damaged = start('--demo');
  const errors: string[] = [];
  damaged.stderr?.on('data', (chunk) => errors.push(String(chunk)));
  await untilUp(`${url}/livez`);
  await expect
    .poll(async () => (await fetch(`${url}/r/${slug}`, { redirect: 'manual' })).headers.get('location'))
    .toMatch(/^https:\/\/example\.com\/menu\?utm_source=/);
  await expect
    .poll(() => errors.join(''))
    .toMatch(/^The database in \S+ does not start \(.+\)\. Codes are still answered/);
  await end(damaged);
  expect(errors.join('').trim().split('\n')).toHaveLength(1);
});

/** Slug of a code that leads to a destination, among those that the host has stored for starting without its database. */
async function slugOf(destination: string, folder: string): Promise<string> {
  const find = () => {
    const file = join(folder, 'demo/visits/codes.log');
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    const entries = lines.map((line) => line.split(' '));
    const isConfirmed = entries.some(([, slug = '']) => slug.startsWith('@'));
    const found = entries.find(([, , content = '']) => Buffer.from(content, 'base64').includes(destination));
    return (isConfirmed && found?.[1]) || '';
  };
  await expect.poll(find, { intervals: [50] }).not.toBe('');
  return find();
}
