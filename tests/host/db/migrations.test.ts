import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { expect, test } from 'vitest';
import { openEmbedded } from '#host/db/client';
import { findInvoice } from '#host/invoices/invoices.store';

/** The first migrations, in a folder of their own. */
function takeMigrations(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  cpSync('host/db/migrations', folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8')) as { entries: unknown[] };
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return folder;
}

test('codes made before they were numbered keep their order', async () => {
  const folder = takeMigrations(2);
  const db = await openEmbedded();
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

test('invoices written before rates had decimals keep their rate', async () => {
  const folder = takeMigrations(8);
  const db = await openEmbedded();
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

test('billing steps written before they were jobs are about the same contracts and periods', async () => {
  const folder = takeMigrations(16);
  const db = await openEmbedded();
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
