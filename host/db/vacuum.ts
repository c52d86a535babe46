import { sql } from 'drizzle-orm';
import type { Orm } from './client';

/**
 * What the autovacuum of a server does and the embedded engine lacks: gives back the room of old row versions and
 * refreshes the planner's figures. Table by table, so that nothing else waits long. Empty tables are left alone: the
 * planner takes a table it knows nothing of for a large one, and one it knows to be empty for one that stays so. And
 * partitions that are as large as they were: most are of days that are over.
 */
export async function vacuumTables(orm: Orm): Promise<void> {
  await vacuum(orm, await listTables(orm, 1));
}

/** The same for tables that have at least doubled since. Statements planned for small tables are planned anew. */
export async function vacuumGrownTables(orm: Orm): Promise<void> {
  await vacuum(orm, await listTables(orm, 2));
}

const FEW_PAGES = 10;

/** Tables with so many times the pages they had when they were looked at last. */
async function listTables(orm: Orm, growth: 1 | 2): Promise<string[]> {
  const least = growth === 1 ? sql`1` : sql`${growth} * relpages + ${FEW_PAGES}`;
  const tables = await orm.execute(sql`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and pg_relation_size(oid) / current_setting('block_size')::int >= ${least}
      and not (relispartition and pg_relation_size(oid) / current_setting('block_size')::int = relpages)`);
  return (tables as unknown as { rows: { name: string }[] }).rows.map(({ name }) => name);
}

async function vacuum(orm: Orm, names: string[]): Promise<void> {
  for (const name of names) await orm.execute(sql`vacuum (analyze) ${sql.identifier(name)}`);
}
