import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { createMigratedDatabase } from '../../support/fresh-database';

const run = promisify(execFile);

/** The first pending migration; it alters the table codes. */
const PENDING = '0025_written_codes';

/** A migrated database on which they are pending again; they are idempotent. */
async function openPending() {
  const { url, drop } = await createMigratedDatabase();
  const db = openServer(url, () => undefined);
  const journal = JSON.parse(readFileSync('host/db/migrations/meta/_journal.json', 'utf8'));
  const { when } = journal.entries.find(({ tag }: { tag: string }) => tag === PENDING);
  await db.orm.execute(sql`delete from drizzle.__drizzle_migrations where created_at >= ${when}`);
  return {
    url,
    db,
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
  const { db, whileRead, waitingForCodes, close } = await openPending();
  try {
    await whileRead(async () => {
      const refused = expect(db.migrate()).rejects.toMatchObject({ cause: { code: '55P03' } });
      await expect.poll(waitingForCodes).toBe(1);
      const began = performance.now();
      await db.query({ name: '', text: 'select from codes', values: [] });
      expect(performance.now() - began).toBeLessThan(3_000);
      await refused;
    });
    await db.migrate();
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
      migrating = run(process.execPath, ['--import', 'tsx', 'host/db/migrate.ts'], { env });
      migrating.catch(() => undefined);
      for (const waiting of [1, 0]) await expect.poll(waitingForCodes, { timeout: 30_000 }).toBe(waiting);
    });
    expect((await migrating)?.stderr).toContain('retrying until it is free');
    const text = 'select count(*)::int as count from drizzle.__drizzle_migrations';
    const [migrations] = await db.query<{ count: number }>({ name: '', text, values: [] });
    expect(migrations?.count).toBeGreaterThan(25);
  } finally {
    await close();
  }
});
