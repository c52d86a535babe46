import { sql } from 'drizzle-orm';
import type { Orm } from './client';

/**
 * What the autovacuum of a server does and the embedded engine lacks: gives back the room of old row versions and
 * refreshes the planner's figures. Table by table, so that nothing else waits long.
 */
export async function vacuumTables(orm: Orm): Promise<void> {
  const tables = await orm.execute(sql`select tablename as name from pg_tables where schemaname = 'public'`);
  for (const { name } of (tables as unknown as { rows: { name: string }[] }).rows) {
    await orm.execute(sql`vacuum (analyze) ${sql.identifier(name)}`);
  }
}
