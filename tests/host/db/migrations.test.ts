import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { expect, test } from 'vitest';
import { openEmbedded } from '#host/db/client';

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
