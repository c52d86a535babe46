import { sql } from 'drizzle-orm';
import type { DashboardStats } from '#contract/dashboard';
import type { Orm } from '#host/db/client';

const DAY_MS = 24 * 3_600_000;

/** Figures over the codes an account has now, visitors over all it had; read from counters, so that their cost does not grow with visits. */
export async function readStats(orm: Orm, accountId: string, now: Date): Promise<DashboardStats> {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const monthAgo = new Date(now.getTime() - 30 * DAY_MS).toISOString();
  const firstDay = new Date(today.getTime() - 29 * DAY_MS).toISOString().slice(0, 10);
  const { rows } = (await orm.execute(sql`
    with own as materialized (
      select id from codes where account_id = ${accountId} and deleted_at is null
    )
    select
      (select code_count from accounts where id = ${accountId}) as "codes",
      t.*,
      (
        select coalesce(sum(h.count), 0)::int from own join visit_hours h on h.code_id = own.id
        where h.hour >= ${today.toISOString()} and h.class = 'human'
      ) as "visitsToday",
      (
        select coalesce(sum(visitors), 0)::int from account_days
        where account_id = ${accountId} and day >= ${firstDay}
      ) as "uniqueVisitors30"
    from (
      select
        (count(*) filter (where c.last_at >= ${monthAgo}))::int as "activeCodes",
        coalesce(sum(c.scans), 0)::int as "scans",
        coalesce(sum(c.clicks), 0)::int as "clicks"
      from own join code_totals c on c.code_id = own.id
    ) as t
  `)) as unknown as { rows: DashboardStats[] };
  const [stats] = rows;
  return stats ?? { codes: 0, activeCodes: 0, scans: 0, clicks: 0, visitsToday: 0, uniqueVisitors30: 0 };
}
