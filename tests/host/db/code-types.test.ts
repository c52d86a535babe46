import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { CODE_TYPES } from '#contract/contents/contents';
import { migrateServer, openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { createFreshDatabase } from '../../support/fresh-database';

const FOLDER = 'host/db/migrations';
const ACCOUNT = '11111111-1111-4111-8111-111111111111';

/** Inserts a code without the rules of the host. */
const insert = (type: string, number: number) => sql`insert into codes
  (id, account_id, slug, number, type, content, visibility, use_white_background, created_at, updated_at)
  values (gen_random_uuid(), ${ACCOUNT}, ${`SLUG${number}`}, ${number}, ${type}, 'as it was', 'public', false, now(), now())`;

test('a database from before the types were checked keeps its codes, and then takes codes of known types only', async () => {
  const earlier = mkdtempSync(join(tmpdir(), 'migrations-'));
  cpSync(FOLDER, earlier, { recursive: true });
  const file = join(earlier, 'meta/_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
  const { url, drop } = await createFreshDatabase();
  const types = ['link', 'text', 'email', 'wifi'];
  const db = openServer(url, () => undefined);
  try {
    await migrateServer({ connectionString: url }, undefined, earlier);
    // Their accounts do not matter.
    await db.orm.execute(sql`alter table codes drop constraint codes_account_id_accounts_id_fk`);
    for (const [number, type] of types.entries()) await db.orm.execute(insert(type, number));
    await db.migrate();
    const kept = await readRows(db.orm, sql`select type, content from codes order by number`);
    expect(kept).toEqual(types.map((type) => ({ type, content: 'as it was' })));
    for (const [number, type] of CODE_TYPES.entries()) await db.orm.execute(insert(type, 100 + number));
    const unknown = expect(db.orm.execute(insert('fax', 200))).rejects;
    await unknown.toMatchObject({ cause: { constraint: 'codes_type' } });
  } finally {
    await db.close();
    await drop();
    rmSync(earlier, { recursive: true });
  }
});
