import { sql } from 'drizzle-orm';
import { mainFieldOf } from '#contract/contents/contents';
import type { DashboardStats } from '#contract/dashboard';
import type { UnfinishedDesign } from '#contract/drafts';
import { DAY_MS, utcDay } from '#contract/time';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { readDraft } from '#host/codes/contents/contents';
import { findUnfinishedDraft } from '#host/codes/drafts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';

/**
 * Totals cover the codes an account has now, like the list; today's visits and visitors also cover deleted codes, like
 * the statistics. Read from counters, so that the cost does not grow with visits.
 */
export async function readStats(orm: Orm, accountId: string, now: Date): Promise<DashboardStats> {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const tomorrow = new Date(today.getTime() + DAY_MS);
  const monthAgo = new Date(now.getTime() - 30 * DAY_MS).toISOString();
  const firstDay = utcDay(today.getTime() - 29 * DAY_MS);
  const { rows } = (await orm.execute(sql`
    select
      (select code_count from accounts where id = ${accountId}) as "codes",
      t.*,
      (
        select coalesce(sum(scans + clicks), 0)::bigint from account_hours
        where account_id = ${accountId} and hour >= ${today.toISOString()} and hour < ${tomorrow.toISOString()}
      ) as "visitsToday",
      (
        select coalesce(sum(visitors), 0)::bigint from account_days
        where account_id = ${accountId} and day between ${firstDay} and ${utcDay(today)}
      ) as "uniqueVisitors30"
    from (
      select
        (count(*) filter (where c.last_at >= ${monthAgo}))::bigint as "activeCodes",
        coalesce(sum(c.scans), 0)::bigint as "scans",
        coalesce(sum(c.clicks), 0)::bigint as "clicks"
      from codes join code_totals c on c.code_id = codes.id
      where codes.account_id = ${accountId} and codes.deleted_at is null
    ) as t
  `)) as unknown as { rows: DashboardStats[] };
  const [stats] = rows;
  return stats ?? { codes: 0, activeCodes: 0, scans: 0, clicks: 0, visitsToday: 0, uniqueVisitors30: 0 };
}

/** A design saved before the purchase that could not become a code, with the first reason; or null. */
export async function findUnfinishedDesign(
  { db, settings }: { db: { orm: Orm }; settings: Deps['settings'] },
  accountId: string,
  now: Date,
): Promise<UnfinishedDesign | null> {
  const draft = await findUnfinishedDraft(db.orm, accountId, now);
  if (!draft) return null;
  const { type, name } = draft.fields;
  const read = readDraft(draft.fields, await readLinkRules(db.orm, settings));
  const [reason = null] = 'refused' in read ? Object.values(read.refused).flat() : [];
  return { id: draft.id, type, name: (name || String(draft.fields[mainFieldOf(type)])).trim(), reason };
}
