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
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '#host/app';
import { type Database, openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { OtherInstallation, startDatabase } from '#host/db/starting';
import { createInstallation } from '#host/visits/installation';
import { createVisitRecorder } from '#host/visits/recorder';
import { createCodeCache } from '#host/visits/resolve';
import { createFreshDatabase, createMigratedDatabase, servers } from '../../support/fresh-database';
import { createTestHost, engines, type TestHost } from '../../support/host';
import { startHostProcess } from '../../support/host-process';
import { SECRET } from '../../support/killed-host-grounds';
import { openUnmigrated } from '../../support/prepared-database';
import { hearLog } from './spool-grounds';
import { readCode } from './stored-visits';

const PHONE = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)' } };
const OTHER_ID = '11111111-2222-4333-8444-555555555555';

/** A database with a code; the folder of a host belongs to one of them. */
async function makeInstallation(open: () => Promise<Database>) {
  const host = await createTestHost({ db: await open() });
  const owner = await host.account();
  return { host, owner, code: await host.code(owner.id) };
}

const idOf = async ({ orm }: Pick<Database, 'orm'>) =>
  (await readRows<{ id: string }>(orm, sql`select id from installation`))[0]?.id;
const scansOf = async (db: Database, id: string) => (await readCode(db, id)).totals[0]?.scans ?? 0;

describe.each(engines)('%s', (_, open) => {
  let ours: Awaited<ReturnType<typeof makeInstallation>>;
  let others: typeof ours;
  let empty: TestHost;
  let folder: string;

  beforeAll(async () => {
    [ours, others] = [await makeInstallation(open), await makeInstallation(open)];
    empty = await createTestHost({ db: await open() });
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
      db.engine,
      async () => ({ ...place.db, migrate: async () => undefined, close: async () => undefined }),
      {
        recognize,
        prepare: keep,
        onError: (error) => refusals.push((error as OtherInstallation).explanation),
      },
    );
    const deps = { ...ours.host.deps, db: started.db, visits, log };
    const [recorder, codes] = [createVisitRecorder(deps), createCodeCache(deps)];
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

  test('a snapshot that cannot be read beside an id of another database is kept', async () => {
    mkdirSync(join(folder, 'codes.log'));
    writeFileSync(idFile(), OTHER_ID);
    const host = start(ours.host.db);
    await expect.poll(() => host.refusals.length).toBeGreaterThan(0);
    await host.stop();
    expect(host.isReady()).toBe(false);
  });
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

async function run(server: string, text: string, values: unknown[] = []) {
  const client = new pg.Client(server);
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
}

/** How many connections to a database there have been. */
async function sessionsOf(server: string, url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1);
  const rows = await run(server, 'select sessions from pg_stat_database where datname = $1', [name]);
  return Number(rows[0]?.sessions);
}

/** Exchanges the names of two databases, and with that what the addresses of both lead to. */
async function exchange(server: string, first: string, second: string): Promise<void> {
  for (const name of [first, second]) {
    await run(server, `alter database ${name} allow_connections false`);
    await run(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  }
  const isFree = 'select from pg_stat_activity where datname = any ($1)';
  await expect.poll(() => run(server, isFree, [[first, second]])).toEqual([]);
  await run(server, `alter database ${first} rename to ${first}_aside`);
  await run(server, `alter database ${second} rename to ${first}`);
  await run(server, `alter database ${first}_aside rename to ${second}`);
  for (const name of [first, second]) await run(server, `alter database ${name} allow_connections true`);
}

describe.each(servers)('on a server', (server) => {
  test('a running host notices that its connections lead to another database, and goes on when they are right again', async () => {
    const [right, wrong] = [await createMigratedDatabase(server), await createMigratedDatabase(server)];
    const folder = mkdtempSync(join(tmpdir(), 'installation-'));
    const visits = { folder, spoolBytes: 1024 ** 2, knownCodes: 1_000 };
    const { log } = hearLog();
    const errors: Error[] = [];
    const installation = createInstallation({ visits, log });
    const db = openServer(right.url, (error) => errors.push(error), { verify: installation.verify });
    const host = await createTestHost({ db, visits });
    await installation.recognize(db);
    await installation.keep(db.orm);
    const owner = await host.account();
    const code = await host.code(owner.id);
    const codes = createCodeCache(host.deps);
    const app = createApp(host.deps, host.recorder, undefined, codes);
    await codes.fill();
    const [own, aside] = [new URL(right.url).pathname.slice(1), new URL(wrong.url).pathname.slice(1)];
    await exchange(server, own, aside);

    await expect
      .poll(async () => (await app.request('/readyz')).json())
      .toMatchObject({
        errors: { database: ['other_installation'] },
      });
    const scan = await app.request(`/r/${code.slug}`, PHONE);
    expect([scan.status, scan.headers.get('location')]).toEqual([302, code.content]);
    await expect(codes.fill()).rejects.toThrow(OtherInstallation);
    await expect(db.migrate()).rejects.toThrow(OtherInstallation);
    expect(errors.some((error) => error instanceof OtherInstallation)).toBe(true);
    const now = openServer(right.url, () => undefined);
    expect(await now.query({ name: '', text: 'select 1 from visit_lanes', values: [] })).toEqual([]);
    await now.close();

    await exchange(server, own, aside);
    await host.recorder.idle();
    expect(await scansOf(db, code.id)).toBe(1);
    expect((await app.request('/readyz')).status).toBe(200);
    await codes.fill();
    await host.close();
    await Promise.all([right.drop(), wrong.drop()]);
  });

  test('a replica is read unless it has the database of another installation', async () => {
    const [right, wrong] = [await createMigratedDatabase(server), await createMigratedDatabase(server)];
    const folder = mkdtempSync(join(tmpdir(), 'installation-'));
    writeFileSync(join(folder, 'installation'), OTHER_ID);
    mkdirSync(join(folder, 'codes.log'));
    const visits = { folder, spoolBytes: 0, knownCodes: 0 };
    const { verify } = createInstallation({ visits, log: hearLog().log });
    const main = openServer(right.url, () => undefined);
    await main.orm.execute(sql`insert into installation (id) values (${OTHER_ID})`);
    const openWith = (readUrl: string) => openServer(right.url, () => undefined, { readUrl, verify });
    const [beside, astray] = [openWith(right.url), openWith(wrong.url)];
    const lookUp = (db: Database) => db.reads.lookUp(sql`select 1 as one`);
    await expect.poll(() => lookUp(beside)).toMatchObject({ rows: [{ one: 1 }] });
    await expect.poll(() => sessionsOf(server, wrong.url)).toBeGreaterThan(1);
    expect(await lookUp(astray)).toBeNull();
    await Promise.all([main.close(), beside.close(), astray.close()]);
    await Promise.all([right.drop(), wrong.drop()]);
    rmSync(folder, { recursive: true });
  });

  test('a host whose DATABASE_URL names an empty database says once what to do, and keeps all its files', async () => {
    const [right, wrong] = [await createMigratedDatabase(server), await createFreshDatabase(server)];
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'installation-'));
    const db = openServer(right.url, () => undefined);
    const { code } = await makeInstallation(async () => db);
    const settings = { DATA_DIR, JWT_SECRET: SECRET };
    const first = await startHostProcess({ ...settings, DATABASE_URL: right.url });
    expect(first.output()).not.toMatch(/"level":[45]0[^\n]*installation/);
    const path = join(DATA_DIR, 'visits', 'codes.log');
    await expect.poll(() => existsSync(path) && readFileSync(path, 'utf8')).toContain(` ${code.slug} `);
    await expect.poll(() => readFileSync(path, 'utf8')).toContain(' @');
    await first.stop('SIGTERM');

    const second = await startHostProcess({ ...settings, DATABASE_URL: wrong.url }, 'host listens');
    const scan = () =>
      fetch(`http://127.0.0.1:${second.port}/r/${code.slug}`, { redirect: 'manual', ...PHONE });
    const refusals = () =>
      second
        .output()
        .split('\n')
        .filter((line) => line.includes(`files in ${DATA_DIR}`));
    await expect.poll(() => refusals().length).toBe(1);
    await expect.poll(() => sessionsOf(server, wrong.url)).toBeGreaterThan(5);
    expect((await scan()).headers.get('location')).toBe(code.content);
    const own = await idOf(db);
    expect(refusals()).toEqual([expect.stringContaining(`is missing, theirs is ${own}.`)]);
    expect(await second.stop('SIGTERM')).toBe(0);
    const tables = openServer(wrong.url, () => undefined);
    expect(await readRows(tables.orm, sql`select from pg_class where relname = 'codes'`)).toEqual([]);
    await tables.close();

    const third = await startHostProcess({ ...settings, DATABASE_URL: right.url });
    await expect.poll(() => scansOf(db, code.id)).toBeGreaterThan(0);
    await third.stop('SIGTERM');
    await db.close();
    await Promise.all([right.drop(), wrong.drop()]);
    rmSync(DATA_DIR, { recursive: true });
  });
});
