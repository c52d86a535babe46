import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#host/db/client';
import { codes, logos } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import { makePartitions } from '#host/db/partitions';
import { readBackup, requireReadable, restoreBackup, writeBackup } from '#host/db/transfer/backup-file';
import { moveDatabase, TransferError } from '#host/db/transfer/filling';
import { readDatabase } from '#host/db/transfer/tables';
import { codeTotals } from '#host/db/visits.tables';
import { webhookPositions } from '#host/db/webhooks.tables';
import { foldOldDays } from '#host/visits/count/fold';
import { openFresh, openUnmigrated } from '../../support/fresh-database';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

let folder: string;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'transfer-'));
  host = await createTestHost();
  account = await host.account({ firstName: 'Zoë "\\ 🧭' });
  for (const content of ['https://first.example/', 'https://second.example/?a=1&b=\u2028'])
    await host.code(account.id, { content });
  await host.db.orm
    .insert(logos)
    .values({ id: randomUUID(), name: 'l', png: Buffer.from([0, 255, 10, 13, 92]), createdAt: new Date() });
  await host.db.orm.execute(
    sql`insert into visit_salts values (current_date, 'a salt that nobody may keep')`,
  );
  await host.db.orm.execute(sql`insert into visits
    select null, '2026-02-27T23:00:00Z'::timestamptz + n * interval '1 hour', 'scan', 'human', 'unknown', '', '', '', ''
    from generate_series(0, 71) as n`);
  await host.db.orm.execute(sql`insert into tags (account_id, key, label) values (${account.id}, 'a', 'A')`);
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true });
});

const newFile = () => join(folder, `${randomUUID()}.gz`);
const countOf = async ({ orm }: Database, table: string) =>
  (await readRows<{ count: number }>(orm, sql`select count(*)::int as count from ${sql.raw(table)}`))[0]
    ?.count;
/** The partitions of the visits; in the source database all are in one. */
const placesOf = async (db: Database) =>
  (
    await readRows(
      db.orm,
      sql`select count(distinct tableoid) filter (where tableoid <> 'visits_default'::regclass)::int as partitions,
        (count(*) filter (where tableoid = 'visits_default'::regclass))::int as "inDefault" from visits`,
    )
  )[0];

test('a moved database has the same rows in every table and works on, and the old one is unchanged', async () => {
  const db = await openFresh();
  try {
    const digests = await moveDatabase(host.db, db);
    expect(digests.get('codes')?.rows).toBe(2);
    expect(digests.get('visits')?.rows).toBe(72);
    expect([...digests.keys()].filter((name) => name.startsWith('visits'))).toEqual(['visits']);
    expect(await placesOf(db)).toEqual({ partitions: 4, inDefault: 0 });
    expect(digests.get('visit_salts')?.rows).toBe(1);
    expect(digests.size).toBeGreaterThan(40);
    const moved = await createTestHost({ db });
    const { body } = await send(moved, 'POST', '/api/login_check', { ...account });
    expect(body.token).toBeDefined();
    const [tag] = await readRows<{ id: number }>(
      db.orm,
      sql`insert into tags (account_id, key, label) values (${account.id}, 'b', 'B') returning id`,
    );
    expect(tag?.id).toBe(2);
    expect(await countOf(host.db, 'tags')).toBe(1);
    await expect(
      db.orm.execute(sql`delete from accounts where id = ${account.id}`),
      'the foreign keys are back',
    ).rejects.toThrow();
  } finally {
    await db.close();
  }
});

test.each([
  ['moved', async (from: Database, to: Database) => moveDatabase(from, to)],
  [
    'restored',
    async (from: Database, to: Database) => {
      const file = newFile();
      await writeBackup(from, file);
      return restoreBackup(to, file);
    },
  ],
])('a database that was %s has the id of its installation, or none if it had none', async (_, transfer) => {
  const [source, db, nameless] = [host.db, await openFresh(), await openFresh()];
  const idOf = async ({ orm }: Database) => readRows(orm, sql`select id from installation`);
  const identify = ({ orm }: Database) =>
    orm.execute(sql`insert into installation (id) values (gen_random_uuid())`);
  try {
    // A host has started with each of the empty databases.
    for (const each of [source, db, nameless]) await identify(each);
    const ids = await idOf(source);
    await transfer(source, db);
    expect([ids.length, await idOf(db)]).toEqual([1, ids]);
    await source.orm.execute(sql`delete from installation`);
    await transfer(source, nameless);
    expect(await idOf(nameless)).toEqual([]);
  } finally {
    await source.orm.execute(sql`delete from installation`);
    await Promise.all([db.close(), nameless.close()]);
  }
});

test('numbers of transactions of the old server do not reach the new one', async () => {
  const { orm } = host.db;
  const { id } = await host.code(account.id, { content: 'https://counted.example/' });
  await orm
    .insert(codeTotals)
    .values({ codeId: id, accountId: account.id, scans: 1, clicks: 0, others: 0, countedIn: 5_000_000 });
  await orm
    .insert(webhookPositions)
    .values({ accountId: account.id, countedIn: 5_000_000, hour: new Date('2026-03-01T00:00:00Z') });
  const db = await openFresh();
  try {
    await moveDatabase(host.db, db);
    const totals = await db.orm.select().from(codeTotals);
    const positions = await db.orm.select().from(webhookPositions);
    expect([...totals, ...positions].map(({ countedIn }) => countedIn)).toEqual([0, 0]);
    expect(totals).toMatchObject([{ codeId: id, scans: 1 }]);
  } finally {
    await db.close();
    await orm.delete(codeTotals);
    await orm.delete(webhookPositions);
    await orm.delete(codes).where(eq(codes.id, id));
  }
});

test('a target database with a row in it is refused and left unchanged', async () => {
  const db = await openFresh();
  try {
    await db.orm.execute(sql`insert into visit_salts values (current_date, 'its own')`);
    await expect(moveDatabase(host.db, db)).rejects.toThrow(/not empty: visit_salts/);
    expect(await countOf(db, 'accounts')).toBe(0);
  } finally {
    await db.close();
  }
});

test('a backup restores everything except the visitor salts', async () => {
  const [file, db] = [newFile(), await openFresh()];
  try {
    const written = await writeBackup(host.db, file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain('nobody may keep');
    expect(await restoreBackup(db, file)).toEqual(written);
    expect([await countOf(db, 'codes'), await countOf(db, 'visit_salts')]).toEqual([2, 0]);
    expect(await placesOf(db)).toEqual({ partitions: 4, inDefault: 0 });
    const [logo] = await db.orm.select().from(logos);
    expect(Buffer.from(logo?.png ?? [])).toEqual(Buffer.from([0, 255, 10, 13, 92]));
    const again = newFile();
    expect(await writeBackup(db, again)).toEqual(written);
    expect(gunzipSync(readFileSync(again)).length).toBe(gunzipSync(readFileSync(file)).length);
  } finally {
    await db.close();
  }
});

test('a copy made while another host folds a day contains the visits of that day', async () => {
  const [db, day] = [await openFresh(), new Date('2026-03-01T12:00:00Z')];
  try {
    await db.migrate();
    await makePartitions(db.orm, day);
    await db.orm.execute(sql`insert into visit_hours (code_id, hour, source, class, count)
      values (${randomUUID()}, ${day}, 'scan', 'human', 7)`);
    const copied: string[] = [];
    await readDatabase(
      db,
      async () => undefined,
      async (table) => {
        if (table.name === 'accounts') await foldOldDays(db, new Date('2026-03-02T00:10:00Z'));
        return async (rows) => {
          if (['visit_hours', 'day_figures'].includes(table.name)) copied.push(...rows);
        };
      },
    );
    expect(await countOf(db, 'day_figures')).toBe(1);
    expect(copied.map((row) => JSON.parse(row))).toEqual([expect.objectContaining({ count: 7 })]);
  } finally {
    await db.close();
  }
});

test.each([
  ['with a row changed', (text: string) => text.replace('first.example', 'other.example')],
  ['with a row less', (text: string) => text.replace(/\n\{[^\n]*first\.example[^\n]*/, '')],
  ['without its end', (text: string) => text.replace(/\nend [^\n]*/, '')],
  [
    'with other tables',
    (text: string) => text.replaceAll('"tags"', '"labels"').replace('table tags', 'table labels'),
  ],
  ['of another release', (text: string) => text.replace('["', '["another","')],
])('a backup %s restores nothing', async (_, change) => {
  const [file, db] = [newFile(), await openFresh()];
  try {
    await writeBackup(host.db, file);
    const text = gunzipSync(readFileSync(file)).toString();
    expect(change(text)).not.toBe(text);
    writeFileSync(file, gzipSync(change(text)));
    await expect(restoreBackup(db, file)).rejects.toThrow(/whole backup|another release|not: labels/);
    expect(await countOf(db, 'accounts')).toBe(0);
  } finally {
    await db.close();
  }
});

test('a truncated file, a file that is no backup and a missing file get different errors', async () => {
  const file = newFile();
  await writeBackup(host.db, file);
  await expect(writeBackup(host.db, file)).rejects.toThrow(/there already/);
  truncateSync(file, statSync(file).size - 20);
  await expect(readBackup(file)).rejects.toThrow(/not a whole backup/);
  writeFileSync(file, 'no backup');
  await expect(readBackup(file)).rejects.toThrow(/not a whole backup/);
  await expect(readBackup(newFile())).rejects.toThrow(/ENOENT/);
});

test('a file that cannot be used is refused in a sentence', async () => {
  const [none, folderless] = [newFile(), join(folder, 'none', 'backup.gz')];
  const missing = 'there is no such file or folder';
  await expect(requireReadable(none)).rejects.toThrow(
    new TransferError(`${none} cannot be used: ${missing}`),
  );
  await expect(requireReadable(folder)).rejects.toThrow('cannot be used: it is a folder');
  await expect(writeBackup(host.db, folderless)).rejects.toThrow(`${folderless} cannot be used: ${missing}`);
});

test('a database that was not migrated by this release is refused', async () => {
  const db = await openUnmigrated();
  try {
    await expect(moveDatabase(host.db, db)).rejects.toThrow(/different releases/);
  } finally {
    await db.close();
  }
});

test('a backup of the previous release is restored', async () => {
  const db = await openFresh();
  try {
    const digests = await restoreBackup(db, 'tests/host/db/previous-release.backup.gz');
    expect(digests.get('codes')?.rows).toBe(1);
    expect(await readRows(db.orm, sql`select slug, content, name from codes`)).toEqual([
      { slug: 'PREV0US1', content: 'https://first.example/menu', name: 'Menü' },
    ]);
    expect(await countOf(db, 'visits')).toBe(1);
  } finally {
    await db.close();
  }
});
