import { sql } from 'drizzle-orm';
import type { Orm } from './client';

/**
 * Replaces autovacuum, which the embedded engine lacks: frees the space of old row versions and refreshes the planner's
 * statistics. Table by table, so that nothing else waits long. Skips empty tables, as the planner assumes that an
 * unknown table is large, but that one known to be empty stays empty; and partitions of unchanged size, as most are of
 * past days.
 */
export async function vacuumTables(orm: Orm): Promise<void> {
  await vacuum(orm, await listTables(orm, 1));
}

/** The same for tables that have at least doubled in size; statements planned for small tables are then replanned. */
export async function vacuumGrownTables(orm: Orm): Promise<void> {
  await vacuum(orm, await listTables(orm, 2));
}

const MIN_PAGES = 10;

/** Tables that have grown by this factor, in pages, since the last run. */
async function listTables(orm: Orm, growth: 1 | 2): Promise<string[]> {
  const minPages = growth === 1 ? sql`1` : sql`${growth} * relpages + ${MIN_PAGES}`;
  const tables = await orm.execute(sql`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and pg_relation_size(oid) / current_setting('block_size')::int >= ${minPages}
      and not (relispartition and pg_relation_size(oid) / current_setting('block_size')::int = relpages)`);
  return (tables as unknown as { rows: { name: string }[] }).rows.map(({ name }) => name);
}

async function vacuum(orm: Orm, names: string[]): Promise<void> {
  for (const name of names) await orm.execute(sql`vacuum (analyze) ${sql.identifier(name)}`);
}
