import { sql } from 'drizzle-orm';
import type { CodeType } from '#contract/codes';
import type { Orm } from '#host/db/client';
import type { Period } from './period';
import { readRows } from './rows';

export interface RankedCode {
  id: string;
  type: CodeType;
  content: string;
  visits: number;
}

export interface AskedCode {
  id: string;
  type: CodeType;
  content: string;
  createdAt: Date;
  lastAt: Date | null;
}

const DAY_MS = 24 * 3_600_000;
/** How long after a visit a code is called active. */
export const ACTIVE_DAYS = 30;

/** A code of this account, or null. */
export async function findAskedCode(orm: Orm, accountId: string, id: string): Promise<AskedCode | null> {
  const [code] = await readRows<AskedCode & { createdAt: string; lastAt: string | null }>(
    orm,
    sql`select c.id, c.type, c.content, c.created_at as "createdAt", t.last_at as "lastAt"
    from codes c left join code_totals t on t.code_id = c.id
    where c.id = ${id} and c.account_id = ${accountId} and c.deleted_at is null`,
  );
  if (!code) return null;
  return { ...code, createdAt: new Date(code.createdAt), lastAt: code.lastAt ? new Date(code.lastAt) : null };
}

/** The codes an account has now, by type: how many, how many visited lately, how many made in the period. */
export async function readCodes(orm: Orm, accountId: string, period: Period, now: Date) {
  const [from = 0, to = 0] = [period.starts[0], period.starts.at(-1)];
  const active = new Date(now.getTime() - ACTIVE_DAYS * DAY_MS);
  return readRows<{ type: CodeType; codes: number; active: number; created: number }>(
    orm,
    sql`select c.type, count(*)::int as codes, (count(*) filter (where t.last_at >= ${active}))::int as active,
      (count(*) filter (where c.created_at >= ${new Date(from)} and c.created_at < ${new Date(to)}))::int as created
    from codes c left join code_totals t on t.code_id = c.id
    where c.account_id = ${accountId} and c.deleted_at is null
    group by c.type order by codes desc, c.type`,
  );
}

/**
 * Codes of an account with the most visits by people on the UTC days of the period. Two marks of each code say how
 * many it had before and at the end, so that neither days nor visits are added up.
 */
export async function rankCodes(
  orm: Orm,
  accountId: string,
  { from, to, starts }: Period,
  limit: number,
  now: Date,
): Promise<RankedCode[]> {
  const isUpToNow = (starts.at(-1) ?? 0) > now.getTime();
  const atEnd = isUpToNow
    ? sql`null::int`
    : sql`(select before from code_marks m where m.code_id = c.id and m.day > ${to} order by m.day limit 1)`;
  return readRows(
    orm,
    sql`with ranked as (
      select c.id, coalesce(${atEnd}, t.scans + t.clicks) - first.before as visits
      from codes c join code_totals t on t.code_id = c.id
      join lateral (
        select before from code_marks m where m.code_id = c.id and m.day >= ${from} order by m.day limit 1
      ) as first on true
      where c.account_id = ${accountId} and c.deleted_at is null and t.last_at >= ${`${from}T00:00:00Z`}
    )
    select c.id, c.type, c.content, r.visits
    from (select * from ranked where visits > 0 order by visits desc, id limit ${limit}) as r
    join codes c on c.id = r.id order by r.visits desc, c.id`,
  );
}
