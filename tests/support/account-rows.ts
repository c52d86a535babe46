import type { TestHost } from './host';

/** Tables that keep rows of an erased account: printed addresses and records that the law requires. */
export const KEPT = ['codes', 'subscriptions'];

/** Row counts of an account by table; tables without a row are left out. */
export async function rowsOf(host: Pick<TestHost, 'db'>, accountId: string): Promise<Record<string, number>> {
  const tables = (await host.db.orm.execute(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'account_id'",
  )) as unknown as { rows: { name: string }[] };
  const counted = tables.rows.map(async ({ name }) => {
    const text = `select count(*)::int as count from "${name}" where account_id = $1::uuid`;
    const [row] = await host.db.query<{ count: number }>({ name: '', text, values: [accountId] });
    return [name, row?.count ?? 0] as const;
  });
  return Object.fromEntries((await Promise.all(counted)).filter(([, count]) => count > 0));
}
