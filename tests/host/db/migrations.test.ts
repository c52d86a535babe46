import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { describe, expect, test } from 'vitest';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { listPartitions } from '#host/db/partitions';
import { findInvoice } from '#host/invoices/invoices.store';
import { insertBatch, serializeVisits } from '#host/visits/journal';
import { openUnmigrated } from '../../support/fresh-database';
import { createTestHost } from '../../support/host';
import { visitOf } from '../statistics/visit-stream';
import { readCode } from '../visits/stored-visits';

/** Copies the first migrations into a folder of their own. */
function takeMigrations(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  cpSync('host/db/migrations', folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: unknown[] };
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return folder;
}

test('codes created before they were numbered keep their order', async () => {
  const folder = takeMigrations(2);
  const db = await openUnmigrated();
  try {
    await migrate(db.orm as NodePgDatabase, { migrationsFolder: folder });
    const accountId = randomUUID();
    await db.orm.execute(
      sql`insert into accounts (id, email, created_at) values (${accountId}, 'a@b.example', now())`,
    );
    await db.orm.execute(sql`insert into codes
        (id, account_id, slug, type, content, visibility, use_white_background, created_at, updated_at, deleted_at)
      select gen_random_uuid(), ${accountId}, 'old ' || n, 'link', 'https://b.example/', 'public', false,
        now() - n * interval '1 day', now(), case when n = 2 then now() end
      from generate_series(1, 3) as n`);

    await db.migrate();

    const read = (text: string) => db.query({ name: '', text, values: [] });
    expect(await read('select slug, number from codes order by number')).toEqual([
      { slug: 'old 3', number: 1 },
      { slug: 'old 2', number: 2 },
      { slug: 'old 1', number: 3 },
    ]);
    expect(await read('select block, codes from code_blocks')).toEqual([{ block: 0, codes: 2 }]);
    expect(await read('select last_code_number as last from accounts')).toEqual([{ last: 3 }]);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test('invoices from before VAT rates had decimals keep their rate', async () => {
  const folder = takeMigrations(8);
  const db = await openUnmigrated();
  try {
    await migrate(db.orm as NodePgDatabase, { migrationsFolder: folder });
    const write = (number: string, place: number, percent: number) =>
      db.orm.execute(sql`insert into invoices
          (number, series, year, place, account_id, payment_id, issued_at, locale, seller, buyer, reference, plan,
           period_start, period_end, paid_at, tax, net_cents, vat_percent, vat_cents, gross_cents)
        values (${number}, 'F', 2026, ${place}, gen_random_uuid(), gen_random_uuid(), now(), 'fr', '{}', '{}', 'Q',
          'basic_monthly', now(), now(), now(), 'standard', 825, ${percent}, 165, 990)`);
    await write('F2026-000001', 1, 20);
    await write('F2026-000002', 2, 0);

    await db.migrate();
    await write('F2026-000003', 3, 8.5);

    const found = ['F2026-000001', 'F2026-000002', 'F2026-000003'].map((one) => findInvoice(db.orm, one));
    expect((await Promise.all(found)).map((invoice) => invoice?.vatPercent)).toEqual([20, 0, 8.5]);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);

test('billing steps from before they were jobs keep their contracts and periods', async () => {
  const folder = takeMigrations(16);
  const db = await openUnmigrated();
  try {
    await migrate(db.orm as NodePgDatabase, { migrationsFolder: folder });
    const contract = randomUUID();
    const steps = [
      ['charge', `charge:${contract}:3:2`],
      ['charge', `charge:${contract}:3:card-pm_7`],
      ['renewal_notice', `renewal-notice:${contract}:12`],
      ['trial_reminder', `trial-reminder:${contract}`],
      ['order_expiry', 'order-expiry:9'],
      ['order_expiry', 'order-unconfirmed:9'],
      ['charge_check', `charge-check:${contract}:3:2:2026-01-01T00:00:00.000Z`],
    ];
    for (const [kind, key] of steps) {
      await db.orm.execute(sql`insert into billing_steps (id, kind, subject, key, due_at)
        values (gen_random_uuid(), ${kind}, '9', ${key}, now())`);
    }

    await db.migrate();

    const text = 'select kind, subscription_id, period, planned from billing_jobs order by kind, planned';
    expect((await db.query<object>({ name: '', text, values: [] })).map((row) => Object.values(row))).toEqual(
      [
        ['charge', contract, 3, 2],
        ['charge', contract, 3, null],
        ['charge_check', null, null, null],
        ['confirmation_expiry', null, null, null],
        ['order_expiry', null, null, null],
        ['renewal_notice', contract, 12, null],
        ['trial_reminder', contract, 0, null],
      ],
    );
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
}, 60_000);

/** Adds columns that today’s host needs and that do not concern partitions; idempotent. */
async function addLaterColumns(orm: Orm): Promise<void> {
  for (const later of ['0024_operator_acts', '0025_written_codes', '0030_account_keys']) {
    const text = readFileSync(`host/db/migrations/${later}.sql`, 'utf8');
    for (const statement of text.split('--> statement-breakpoint')) await orm.execute(sql.raw(statement));
  }
}

describe('visits from before partitions', () => {
  test('are moved into the partitions of their days, and further visits are counted in the same rows', async () => {
    const folder = takeMigrations(23);
    const db = await openUnmigrated();
    try {
      await migrate(db.orm as NodePgDatabase, { migrationsFolder: folder });
      await addLaterColumns(db.orm);
      // The other tables already had the same columns then.
      const host = await createTestHost({ db: { ...db, migrate: async () => undefined } });
      const code = await host.code((await host.account()).id);
      const visit = async (hours: number) => {
        host.clock.set(new Date(Date.parse('2026-03-02T22:30:00Z') + hours * 3_600_000));
        await host.request(`/r/${code.slug}`);
      };
      for (const hours of [0, 1, 2, 24]) await visit(hours);
      await db.orm.execute(sql`insert into day_figures (subject_id, day, figures) values
          (${code.id}, '2025-12-31', '{"visitors":1}'), (${code.id}, '2026-01-01', '{"visitors":2}')`);

      await db.migrate();
      await visit(2);

      const placesOf = async (table: string) =>
        (
          await readRows<{ place: string; count: number }>(
            db.orm,
            sql.raw(
              `select tableoid::regclass::text as place, count(*)::int as count from ${table} group by 1 order by 1`,
            ),
          )
        ).map(({ place, count }) => [place, count]);
      expect(await placesOf('visits')).toEqual([
        ['visits_20260302', 2],
        ['visits_20260303', 3],
      ]);
      expect(await placesOf('visitor_days')).toEqual([
        ['visitor_days_20260302', 1],
        ['visitor_days_20260303', 1],
      ]);
      expect(await placesOf('account_facets')).toEqual([
        ['account_facets_20260302', 5],
        ['account_facets_20260303', 5],
      ]);
      expect(await placesOf('day_figures')).toEqual([
        ['day_figures_202512', 1],
        ['day_figures_202601', 1],
      ]);
      expect(await readCode(db, code.id)).toMatchObject({
        totals: [{ scans: 5 }],
        visitors: [
          { day: '2026-03-02', count: 1 },
          { day: '2026-03-03', count: 1 },
        ],
      });
      const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
      expect(await listPartitions(db.orm, 'visits')).toContain(`visits_${today}`);
      const indexes = await readRows<{ definition: string }>(
        db.orm,
        sql`select indexdef as definition from pg_indexes where tablename = 'visits'`,
      );
      expect(indexes).toHaveLength(1);
      expect(indexes[0]?.definition).toContain(
        "USING brin (at) WITH (autosummarize='true', pages_per_range='16')",
      );
      await host.recorder.close();
    } finally {
      await db.close();
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});

test('a host of the previous release keeps counting while visits are moved into partitions', async () => {
  const folder = takeMigrations(23);
  const db = await openUnmigrated();
  try {
    await migrate(db.orm as NodePgDatabase, { migrationsFolder: folder });
    await addLaterColumns(db.orm);
    const host = await createTestHost({ db: { ...db, migrate: async () => undefined } });
    const code = await host.code((await host.account()).id);
    const count = async (at: string) => {
      const visits = serializeVisits([visitOf(code.id, at)], () => '7');
      await db.query(insertBatch({ lane: randomUUID(), number: 1, size: 1, at: Date.parse(at), visits }));
      await host.recorder.claimStale(0);
      await host.recorder.idle();
    };
    // Often enough for every connection to have cached a plan for the old tables.
    for (let minute = 10; minute < 40; minute += 1) await count(`2026-03-02T10:${minute}:00Z`);
    let migrated = Promise.resolve();
    await db.orm.transaction(async (transaction) => {
      await transaction.execute(sql`insert into visits values
        (${code.id}, now(), 'scan', 'human', 'served', 'phone', 'ios', 'fr', '')`);
      migrated = db.migrate();
      await expect
        .poll(() =>
          readRows(db.orm, sql`select from pg_locks where not granted and relation = 'visits'::regclass`),
        )
        .toHaveLength(1);
    });
    const during = count('2026-03-02T10:50:00Z');
    await migrated;
    await during;
    await count('2026-03-02T10:55:00Z');
    expect(await readCode(db, code.id)).toMatchObject({
      raw: [{ count: 33 }],
      totals: [{ scans: 32 }],
      visitors: [{ day: '2026-03-02', count: 1 }],
    });
    await host.recorder.close();
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
});
