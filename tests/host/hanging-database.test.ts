import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { packCode } from '#host/visits/resolve/packed-code';
import { CodeSnapshot } from '#host/visits/resolve/snapshot';
import { startHostProcess } from '../support/host-process';

/** PostgreSQL's messages AuthenticationOk and ReadyForQuery. */
const READY = Buffer.from('5200000008000000005a0000000549', 'hex');
const SLUG = 'AAAAAAAA';

/** A database server that lets everybody in and never answers a query. */
async function openMuteServer(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () => socket.write(READY)).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://user@127.0.0.1:${(server.address() as AddressInfo).port}/db`;
}

/** Leaves a code in DATA_DIR that a host answers without its database. */
async function leaveCode(folder: string): Promise<void> {
  const code = packCode({
    id: randomUUID(),
    accountId: randomUUID(),
    type: 'link',
    content: 'https://destination.example/',
    subject: '',
    body: '',
    isPrivate: false,
    isDeleted: false,
    isBlocked: false,
    isCounted: true,
    blockedLinks: [],
    routing: null,
  });
  const memory = { slugs: () => [SLUG], peek: () => code, set: () => {}, delete: () => {}, clear: () => {} };
  const log = pino({ level: 'silent' });
  const snapshot = new CodeSnapshot({ visits: { folder, spoolBytes: 0, knownCodes: 1 }, log }, memory);
  snapshot.put(SLUG, code);
  snapshot.confirm();
  const file = join(folder, 'codes.log');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 5_000 }).toContain(' @');
}

test('a host whose database hangs stops on SIGTERM with exit code 0, and says how many visits it leaves', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'hanging-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true }));
  await leaveCode(join(DATA_DIR, 'visits'));
  const settings = {
    DATA_DIR,
    DATABASE_URL: await openMuteServer(),
    DRAIN_SECONDS: '0',
    JWT_SECRET: 'j'.repeat(32),
    INTERNAL_SECRET: 'i'.repeat(32),
  };
  const host = await startHostProcess(settings, 'host listens');
  const scan = (slug: string) =>
    fetch(`http://127.0.0.1:${host.port}/r/${slug}`, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)' },
    }).then(({ status }) => status);
  expect(await scan(SLUG)).toBe(302);
  // This one waits for the database.
  const pending = scan('BBBBBBBB').catch(() => undefined);
  expect(await host.stop('SIGTERM')).toBe(0);
  await pending;
  const lines = host
    .output()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({ kept: 1, lost: 0, msg: expect.stringContaining('visits stay in the spool') }),
  );
}, 60_000);
