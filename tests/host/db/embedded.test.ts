import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openEmbedded } from '#host/db/client';
import { openEmbeddedThread } from '#host/db/embedded';
import { bundledProgram } from '../../support/bundled-program';
import { cutPower, LEDGER_WRITER } from '../../support/power-cut';
import { unpackPrepared } from '../../support/prepared-database';

const LIMIT_SECONDS = 5;

// Opening a database may take long on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let place: string;
let prepared: string;
let folder: string;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'embedded-'));
  prepared = join(place, 'prepared');
  await unpackPrepared(prepared);
});
afterAll(() => rmSync(place, { recursive: true }));

beforeEach(() => {
  folder = join(mkdtempSync(join(place, 'test-')), 'database');
  cpSync(prepared, folder, { recursive: true });
});

const ask = <Row>(db: Database, text: string) => db.query<Row>({ name: '', text, values: [] });
/** The files of a database, except the one that each start writes. */
const filesOf = (place: string) =>
  readdirSync(place)
    .filter((name) => name !== 'postmaster.pid')
    .sort();
const pidFile = () => join(folder, 'postmaster.pid');

/** Opens the database once per template, and expects the first table to persist and all files to be private. */
async function expectKeptAndPrivate(fresh: string, templates: (string | undefined)[]): Promise<void> {
  for (const [start, template] of templates.entries()) {
    const db = await openEmbedded(fresh, { template });
    await ask(db, `create table table_${start} as select generate_series(1, 1000)`);
    expect(await ask(db, 'select count(*) from table_0')).toEqual([{ count: 1000 }]);
    await db.close();
    expect(openToOthers(fresh)).toEqual([]);
    expect(statSync(fresh).mode & 0o777).toBe(0o700);
  }
}

function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);
}

test('a missing or half-created database is created, persists, and is readable only by its owner', async () => {
  const fresh = join(
    place,
    'a folder',
    'with a name that is far too long for the path of a socket'.repeat(3),
    'db',
  );
  mkdirSync(`${fresh}.new`, { recursive: true });
  writeFileSync(join(`${fresh}.new`, 'PG_VERSION'), '');
  await expectKeptAndPrivate(fresh, [undefined, undefined]);
});

test('a new database is a copy of the template from the build, readable only by its owner', async () => {
  const template = join(place, 'open-template');
  cpSync(prepared, template, { recursive: true });
  chmodSync(join(template, 'PG_VERSION'), 0o666);
  chmodSync(template, 0o755);
  const copy = join(place, 'copy');
  await expectKeptAndPrivate(copy, [template, join(place, 'elsewhere')]);
  const db = await openEmbedded(copy);
  expect(await ask(db, 'select count(*) from accounts')).toEqual([{ count: 0 }]);
  await db.close();
});

test('a commit is synced to disk before it is acknowledged', async () => {
  const db = await openEmbedded(folder);
  const names = "name in ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method')";
  expect(await ask(db, `select name, setting from pg_settings where ${names} order by name`)).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
    { name: 'wal_sync_method', setting: 'fsync' },
  ]);
  await db.close();
});

test('a power cut at any moment loses no committed row, and the database recovers by itself', async () => {
  let committed = 0;
  // The second cut may interrupt the recovery from the first.
  for (const writes of [900, 150, 700]) {
    committed = Math.max(committed, await cutPower(folder, writes));
  }
  const db = await openEmbedded(folder);
  const [found] = await ask<{ rows: number; last: number; torn: number }>(
    db,
    `select count(*) as rows, max(id) as last, count(*) filter (where note <> repeat(md5(id::text), 20)) as torn
     from ledger`,
  );
  await db.close();
  expect(committed).toBeGreaterThan(20);
  expect(found?.last).toBeGreaterThanOrEqual(committed);
  expect(found).toEqual({ rows: found?.last, last: found?.last, torn: 0 });
});

test.each([
  ['empty', ''],
  [
    'from a process with the same id',
    `${process.pid}\n/pglite/data\n1795327937\n5432\n\n\n       20         1\n`,
  ],
])('a leftover pid file does not prevent opening, even one that is %s', async (_, content) => {
  writeFileSync(pidFile(), content);
  const db = await openEmbedded(folder);
  expect(await ask(db, 'select 1 as one')).toEqual([{ one: 1 }]);
  await db.close();
});

test('a database that cannot be opened is left as it is, and the reason is logged', async () => {
  const control = join(folder, 'global', 'pg_control');
  writeFileSync(control, readFileSync(control).fill(0, 0, 64));
  const before = filesOf(folder);
  await expect(openEmbedded(folder)).rejects.toThrow(
    /does not open: .*(FATAL|PANIC|Aborted).*left as it is/s,
  );
  expect(filesOf(folder)).toEqual(before);
});

test('a folder with other files is neither opened as a database nor emptied', async () => {
  rmSync(join(folder, 'PG_VERSION'));
  const before = filesOf(folder);
  await expect(openEmbedded(folder)).rejects.toThrow('holds files but no database');
  expect(filesOf(folder)).toEqual(before);
});

test('a folder is locked by one process until that process ends', async () => {
  const other = spawn(process.execPath, [...bundledProgram(LEDGER_WRITER), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(other.stdout, 'data');
  await expect(openEmbedded(folder)).rejects.toThrow('is in use by another process');
  other.kill('SIGKILL');
  await once(other, 'close');
  const db = await openEmbedded(folder);
  await expect(openEmbedded(folder)).rejects.toThrow('is in use');
  await db.close();
  await (await openEmbedded(folder)).close();
});

test('a notification arrives even if the connection that sent it has been lost', async () => {
  const embedded = await openEmbeddedThread({ folder }, () => undefined);
  const heard: string[] = [];
  await embedded.listen('news', (payload) => heard.push(payload));
  const stream = embedded.connect();
  const client = new Client({ stream: () => stream, user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  const left = client.query("notify news, 'left'");
  stream.destroy();
  await expect(left).rejects.toThrow();
  await expect.poll(() => heard).toEqual(['left']);
  await embedded.close();
});

test('a statement that never returns fails, and the database is reopened', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const errors: Error[] = [];
  const heard: string[] = [];
  let gaps = 0;
  const db = await openEmbedded(folder, {
    onError: (error) => errors.push(error),
    limitSeconds: LIMIT_SECONDS,
  });
  await ask(db, 'create table kept (id int)');
  await db.listen(
    'news',
    (payload) => heard.push(payload),
    () => {
      gaps += 1;
    },
  );
  const endless = ask(db, 'select count(*) from generate_series(1, 100000000000)');
  const failure = expect(endless).rejects.toThrow();
  // The clock advances by a second at each poll.
  await expect.poll(() => vi.advanceTimersByTime(1_000) && errors.length, { interval: 20 }).toBe(1);
  await failure;
  expect(errors[0]?.message).toContain(`did not answer for ${LIMIT_SECONDS} seconds`);
  await expect.poll(() => gaps, { timeout: 30_000 }).toBe(1);
  expect(await ask(db, 'select count(*) as count from kept')).toEqual([{ count: 0 }]);
  await ask(db, "select pg_notify('news', 'again')");
  await expect.poll(() => heard).toEqual(['again']);
  await db.close();
});

test('rows that were read do not stay in memory', async () => {
  const db = await openEmbedded(folder);
  onTestFinished(() => db.close());
  // Few and long, because most of the time goes into rows.
  const readRows = () =>
    ask(db, 'select number, repeat(md5(number::text), 20) from generate_series(1, 1000) as number');
  const growths: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const before = bytesBesideOwnHeap();
    for (let repeat = 0; repeat < 40; repeat += 1) await readRows();
    growths.push((bytesBesideOwnHeap() - before) / 1e6);
  }
  // What is waiting to be collected grows in some rounds; what is kept grows in every round.
  expect(Math.min(...growths)).toBeLessThan(10);
});

/** Memory of the process without the heap of this thread, such as that of the database's thread. */
function bytesBesideOwnHeap(): number {
  const { rss, heapTotal, external } = process.memoryUsage();
  return rss - heapTotal - external;
}
