import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from '#host/app';
import type { Database } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { OtherInstallation, startDatabase } from '#host/db/starting';
import { VisitRecorder } from '#host/visits/receive/recorder';
import { CodeCache } from '#host/visits/resolve/resolve';
import { createInstallation } from '#host/visits/spool/installation';
import { openUnmigrated } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { hearLog } from './spool-fixture';
import { readCode } from './stored-visits';

const PHONE = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)' } };
const OTHER_ID = '11111111-2222-4333-8444-555555555555';

/** A database with a code; the folder of a host belongs to one of them. */
async function makeInstallation() {
  const host = await createTestHost();
  const owner = await host.account();
  return { host, owner, code: await host.code(owner.id) };
}

const idOf = async ({ orm }: Pick<Database, 'orm'>) =>
  (await readRows<{ id: string }>(orm, sql`select id from installation`))[0]?.id;
const scansOf = async (db: Database, id: string) => (await readCode(db, id)).totals[0]?.scans ?? 0;

let ours: Awaited<ReturnType<typeof makeInstallation>>;
let others: typeof ours;
let empty: TestHost;
let folder: string;

beforeAll(async () => {
  [ours, others] = [await makeInstallation(), await makeInstallation()];
  empty = await createTestHost();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'installation-'));
  for (const { db } of [ours.host, others.host, empty]) await db.orm.execute(sql`delete from installation`);
  return () => rmSync(folder, { recursive: true, force: true });
});
afterAll(async () => {
  for (const { close } of [ours.host, others.host, empty]) await close();
});

const idFile = () => join(folder, 'installation');
const readSnapshot = () => readFileSync(join(folder, 'codes.log'), 'utf8');
const hasSpooled = () => readdirSync(folder).some((name) => name.startsWith('spool.'));

/** Starts what answers visits, with the files of the folder, on a database that may be exchanged. */
function start(db: Database) {
  const place = { db };
  const { lines, log } = hearLog();
  const visits = { ...ours.host.deps.visits, folder };
  const { recognize, keep } = createInstallation({ visits, log });
  const refusals: string[] = [];
  const started = startDatabase(
    async () => ({ ...place.db, migrate: async () => undefined, close: async () => undefined }),
    {
      recognize,
      prepare: keep,
      onError: (error) => refusals.push((error as OtherInstallation).explanation),
    },
  );
  const deps = { ...ours.host.deps, db: started.db, visits, log };
  const [recorder, codes] = [new VisitRecorder(deps), new CodeCache(deps)];
  const app = createApp(deps, recorder, undefined, codes);
  return {
    place,
    lines,
    refusals,
    recorder,
    codes,
    ready: started.ready,
    isReady: started.isReady,
    scan: (slug: string) => app.request(`/r/${slug}`, PHONE),
    ask: (path: string, init?: RequestInit) => app.request(path, init),
    stop: async () => {
      await recorder.close();
      await started.db.close();
    },
  };
}

/** Leaves the files of a host that has served the code. */
async function serveOurs(): Promise<void> {
  const first = start(ours.host.db);
  await first.ready;
  await first.codes.fill();
  await expect.poll(() => existsSync(join(folder, 'codes.log')) && readSnapshot()).toContain(' @');
  expect(readSnapshot()).toContain(ours.code.slug);
  await first.stop();
}

test.each([
  ['an empty database', () => empty.db, false],
  ['the database of another installation', () => others.host.db, true],
])(
  'beside codes of this one, %s is neither read nor written to until the right one is back',
  async (_, wrong, hasId) => {
    await serveOurs();
    const own = await idOf(ours.host.db);
    if (hasId) await wrong().orm.execute(sql`insert into installation (id) values (${OTHER_ID})`);
    const [snapshot, before] = [readSnapshot(), await scansOf(ours.host.db, ours.code.id)];
    const host = start(wrong());
    await expect.poll(() => host.refusals.length).toBeGreaterThan(0);
    for (let count = 0; count < 3; count += 1) {
      const scan = await host.scan(ours.code.slug);
      expect([scan.status, scan.headers.get('location')]).toEqual([302, ours.code.content]);
    }
    const ready = await host.ask('/readyz');
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { errors: { database: ['other_installation'] } },
    ]);
    const call = await host.ask('/api/qrcodes', {
      headers: { authorization: `Bearer ${ours.owner.token}` },
    });
    expect([call.status, call.headers.get('retry-after')]).toEqual([503, '5']);
    const unknown = await host.ask(`/r/${others.code.slug}`, { headers: { accept: 'application/json' } });
    expect(unknown.status, 'a code of the other one').toBe(503);
    expect(host.isReady()).toBe(false);
    expect(host.refusals[0]).toContain(own);
    if (hasId) expect(host.refusals[0]).toContain(OTHER_ID);
    expect(host.refusals[0]).toContain(folder);
    expect([readSnapshot(), hasSpooled(), readFileSync(idFile(), 'utf8').trim()]).toEqual([
      snapshot,
      true,
      own,
    ]);
    for (const table of ['visits', 'visit_journal', 'visit_lanes', 'visit_salts', 'code_totals'])
      expect(await readRows(wrong().orm, sql`select 1 from ${sql.raw(table)}`), table).toEqual([]);
    expect(await idOf(wrong())).toBe(hasId ? OTHER_ID : undefined);

    host.place.db = ours.host.db;
    await host.ready;
    await host.recorder.claimStale(0);
    await host.recorder.idle();
    expect(await scansOf(ours.host.db, ours.code.id)).toBe(before + 3);
    expect((await host.ask('/readyz')).status).toBe(200);
    await host.stop();
    expect([hasSpooled(), await idOf(ours.host.db)]).toEqual([false, own]);
  },
);

test('visits that a killed host left stay in the spool beside an empty database', async () => {
  await serveOurs();
  const left = join(folder, 'spool.machine.1.00000000-0000-4000-8000-000000000000.1.log');
  writeFileSync(left, 'visits');
  const host = start(empty.db);
  await expect.poll(() => host.refusals.length).toBeGreaterThan(0);
  await host.stop();
  expect(readFileSync(left, 'utf8')).toBe('visits');
});

test('a new installation starts without a word, and every host of it keeps the same id', async () => {
  const ids: unknown[] = [await idOf(empty.db)];
  for (let count = 0; count < 2; count += 1) {
    const host = start(empty.db);
    await host.ready;
    expect([host.refusals, host.lines]).toEqual([[], []]);
    await host.stop();
    ids.push(readFileSync(idFile(), 'utf8').trim());
    rmSync(folder, { recursive: true });
  }
  const id = await idOf(empty.db);
  expect(ids).toEqual([undefined, id, id]);
});

test('an id without codes and visits keeps nobody from starting with another database', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(idFile(), OTHER_ID);
  const host = start(others.host.db);
  await host.ready;
  await host.stop();
  expect(host.refusals).toEqual([]);
  expect(readFileSync(idFile(), 'utf8').trim()).toBe(await idOf(others.host.db));
});

test('whoever deletes the folder starts anew', async () => {
  await serveOurs();
  rmSync(folder, { recursive: true });
  const host = start(empty.db);
  await host.ready;
  expect([host.refusals, (await host.scan(ours.code.slug)).headers.get('location')]).toEqual([
    [],
    expect.not.stringContaining('destination.example'),
  ]);
  await host.stop();
});

test.each([
  ['deleted', () => rmSync(idFile())],
  ['damaged', () => writeFileSync(idFile(), '')],
  [
    'unreadable',
    () => {
      rmSync(idFile());
      mkdirSync(idFile());
    },
  ],
])('with its id %s, a folder belongs to the database that has one of its codes', async (_, change) => {
  await serveOurs();
  await ours.host.db.orm.execute(sql`delete from installation`);
  change();
  for (const db of [empty.db, others.host.db]) {
    const host = start(db);
    await expect.poll(() => host.refusals.length).toBeGreaterThan(0);
    await host.stop();
    expect([host.isReady(), readSnapshot()]).toEqual([false, expect.stringContaining(ours.code.slug)]);
  }
  const host = start(ours.host.db);
  await host.ready;
  await host.stop();
  expect(host.refusals).toEqual([]);
  expect(await idOf(ours.host.db)).toBeDefined();
});

test('visits without an id and without codes belong to a database that has codes', async () => {
  writeFileSync(join(folder, 'spool.machine.1.00000000-0000-4000-8000-000000000000.1.log'), 'visits');
  const refused = start(empty.db);
  await expect.poll(() => refused.refusals.length).toBeGreaterThan(0);
  await refused.stop();
  const host = start(ours.host.db);
  await host.ready;
  await host.stop();
  expect([refused.isReady(), host.refusals]).toEqual([false, []]);
});

test('a host whose folder cannot be written to says so and starts', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { lines, log } = hearLog();
  const visits = { ...ours.host.deps.visits, folder: join(folder, 'file', 'visits') };
  const { recognize, keep } = createInstallation({ visits, log });
  await recognize(empty.db);
  await keep(empty.db.orm);
  expect(lines.map(({ msg }) => msg)).toEqual(['the id of the installation could not be written']);
  expect(await idOf(empty.db)).toBeDefined();
});

test('a snapshot that cannot be read beside an id of another database is kept', async () => {
  mkdirSync(join(folder, 'codes.log'));
  writeFileSync(idFile(), OTHER_ID);
  const host = start(ours.host.db);
  await expect.poll(() => host.refusals.length).toBeGreaterThan(0);
  await host.stop();
  expect(host.isReady()).toBe(false);
});

test('a database that was never migrated is not migrated beside codes of another', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'installation-'));
  const db = await openUnmigrated();
  writeFileSync(join(folder, 'installation'), OTHER_ID);
  mkdirSync(join(folder, 'codes.log'));
  const { log } = hearLog();
  const { recognize } = createInstallation({ visits: { folder, spoolBytes: 0, knownCodes: 0 }, log });
  await expect(recognize(db)).rejects.toThrow(OtherInstallation);
  rmSync(join(folder, 'installation'));
  const nameless = createInstallation({ visits: { folder, spoolBytes: 0, knownCodes: 0 }, log });
  await expect(nameless.recognize(db)).rejects.toThrow(OtherInstallation);
  await db.close();
  rmSync(folder, { recursive: true });
});
