import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateServer, openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { createMigratedDatabase } from '../../support/fresh-database';

const run = promisify(execFile);
const FOLDER = 'host/db/migrations';

let place: string;
let folder: string;

/** A project whose migrations end with one that alters the table codes. */
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'migrations-'));
  folder = join(place, FOLDER);
  cpSync(FOLDER, folder, { recursive: true });
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'));
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8'));
  const last = journal.entries.at(-1);
  journal.entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: 'pending' });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(join(folder, 'pending.sql'), 'ALTER TABLE "codes" ADD COLUMN "pending" text;');
});
afterAll(() => rmSync(place, { recursive: true }));

/** A database on which only that one is pending. */
async function openPending() {
  const { url, drop } = await createMigratedDatabase();
  const db = openServer(url, () => undefined);
  return {
    url,
    db,
    migrate: () => migrateServer({ connectionString: url }, undefined, folder),
    /** Holds the table lock of a backup that reads codes while the work runs. */
    whileRead: (work: () => Promise<void>) =>
      db.orm.transaction(async (transaction) => {
        await transaction.execute(sql`lock table codes in access share mode`);
        await work();
      }),
    waitingForCodes: async () => {
      const waiting = sql`select from pg_locks where not granted and relation = 'codes'::regclass`;
      return (await readRows(db.orm, waiting)).length;
    },
    close: async () => {
      await db.close();
      await drop();
    },
  };
}

test('a migration that waits for a backup gives up before the queries queued behind it', async () => {
  const { db, migrate, whileRead, waitingForCodes, close } = await openPending();
  try {
    await whileRead(async () => {
      const refused = expect(migrate()).rejects.toMatchObject({ cause: { code: '55P03' } });
      await expect.poll(waitingForCodes).toBe(1);
      const began = performance.now();
      await db.query({ name: '', text: 'select from codes', values: [] });
      expect(performance.now() - began).toBeLessThan(3_000);
      await refused;
    });
    await migrate();
  } finally {
    await close();
  }
});

test('the migration command retries until the tables are no longer locked', async () => {
  const { db, url, whileRead, waitingForCodes, close } = await openPending();
  const env = { ...process.env, DATABASE_URL: url, DATABASE_DIRECT_URL: '' };
  try {
    let migrating: Promise<{ stderr: string }> | undefined;
    await whileRead(async () => {
      migrating = run(process.execPath, ['--import', 'tsx', resolve('host/migrate.ts')], {
        env,
        cwd: place,
      });
      migrating.catch(() => undefined);
      for (const waiting of [1, 0]) await expect.poll(waitingForCodes, { timeout: 30_000 }).toBe(waiting);
    });
    expect((await migrating)?.stderr).toContain('retrying until it is free');
    expect(await db.query({ name: '', text: 'select pending from codes', values: [] })).toEqual([]);
  } finally {
    await close();
  }
});
