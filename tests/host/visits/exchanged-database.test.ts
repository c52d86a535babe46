import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createApp } from '#host/app';
import { type Database, openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { OtherInstallation } from '#host/db/starting';
import { CodeCache } from '#host/visits/resolve/resolve';
import { createInstallation } from '#host/visits/spool/installation';
import { createFreshDatabase, createMigratedDatabase, serverUrl } from '../../support/fresh-database';
import { createTestHost } from '../../support/host';
import { startHostProcess } from '../../support/host-process';
import { SECRET } from '../../support/killed-host-fixture';
import { hearLog } from './spool-fixture';
import { readCode } from './stored-visits';

const PHONE = { headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)' } };
const ID = '11111111-2222-4333-8444-555555555555';

const scansOf = async (db: Database, id: string) => (await readCode(db, id)).totals[0]?.scans ?? 0;

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

describe('on a server', () => {
  test('a running host notices that its connections lead to another database, and goes on when they are right again', async () => {
    const [right, wrong] = [await createMigratedDatabase(), await createMigratedDatabase()];
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
    const codes = new CodeCache(host.deps);
    const app = createApp(host.deps, host.recorder, undefined, codes);
    await codes.fill();
    const [own, aside] = [new URL(right.url).pathname.slice(1), new URL(wrong.url).pathname.slice(1)];
    await exchange(serverUrl(), own, aside);

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

    await exchange(serverUrl(), own, aside);
    await host.recorder.idle();
    expect(await scansOf(db, code.id)).toBe(1);
    expect((await app.request('/readyz')).status).toBe(200);
    await codes.fill();
    await host.close();
    await Promise.all([right.drop(), wrong.drop()]);
  });

  test('a replica is read unless it has the database of another installation', async () => {
    const [right, wrong] = [await createMigratedDatabase(), await createMigratedDatabase()];
    const folder = mkdtempSync(join(tmpdir(), 'installation-'));
    writeFileSync(join(folder, 'installation'), ID);
    mkdirSync(join(folder, 'codes.log'));
    const visits = { folder, spoolBytes: 0, knownCodes: 0 };
    const { verify } = createInstallation({ visits, log: hearLog().log });
    const main = openServer(right.url, () => undefined);
    await main.orm.execute(sql`insert into installation (id) values (${ID})`);
    const openWith = (readUrl: string) => openServer(right.url, () => undefined, { readUrl, verify });
    const [beside, astray] = [openWith(right.url), openWith(wrong.url)];
    const lookUp = (db: Database) => db.reads.lookUp(sql`select 1 as one`);
    await expect.poll(() => lookUp(beside)).toMatchObject({ rows: [{ one: 1 }] });
    await expect.poll(() => sessionsOf(serverUrl(), wrong.url)).toBeGreaterThan(1);
    expect(await lookUp(astray)).toBeNull();
    await Promise.all([main.close(), beside.close(), astray.close()]);
    await Promise.all([right.drop(), wrong.drop()]);
    rmSync(folder, { recursive: true });
  });

  test('a host whose DATABASE_URL names an empty database says once what to do, and keeps all its files', async () => {
    const [right, wrong] = [await createMigratedDatabase(), await createFreshDatabase()];
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'installation-'));
    const db = openServer(right.url, () => undefined);
    const maker = await createTestHost({ db });
    const code = await maker.code((await maker.account()).id);
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
    await expect.poll(() => sessionsOf(serverUrl(), wrong.url)).toBeGreaterThan(5);
    expect((await scan()).headers.get('location')).toBe(code.content);
    const [{ id: own } = { id: '' }] = await readRows<{ id: string }>(
      db.orm,
      sql`select id from installation`,
    );
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
