import type { SQL } from 'drizzle-orm';
import type { Orm } from './orm';

export async function readRows<Row>(orm: Orm, query: SQL): Promise<Row[]> {
  const { rows } = (await orm.execute(query)) as unknown as { rows: Row[] };
  return rows;
}
