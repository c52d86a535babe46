import { type SQL, sql } from 'drizzle-orm';
import { CodeFilter, type CodeType } from '#contract/codes';
import { type FoundCode, SEARCH_PAGE_SIZE } from '#contract/statistics';
import { DAY_MS, utcDay } from '#contract/time';
import { readCodes } from '#host/codes/code/store';
import { withDisplayedContent } from '#host/codes/contents/contents';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { findCodesBefore } from '#host/codes/search/list';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { CallerTag } from '#host/http/caller';
import type { Period } from './period';

interface RankedCode {
  id: string;
  type: CodeType;
  name: string | null;
  content: string;
  visits: number;
}

export interface SelectedCode {
  id: string;
  type: CodeType;
  name: string | null;
  content: string;
  createdAt: Date;
  lastAt: Date | null;
  isCounted: boolean;
}

/** How long after a visit a code is called active. */
export const ACTIVE_DAYS = 30;

/** A code of this account, or null. */
export async function findSelectedCode(
  orm: Orm,
  accountId: string,
  id: string,
  within: CallerTag | null = null,
): Promise<SelectedCode | null> {
  const [code] = await readRows<SelectedCode & { createdAt: string; lastAt: string | null }>(
    orm,
    sql`select c.id, c.type, c.name, c.content, c.is_counted as "isCounted", c.created_at as "createdAt", t.last_at as "lastAt"
    from codes c left join code_totals t on t.code_id = c.id
    where c.id = ${id} and c.account_id = ${accountId} and c.deleted_at is null
      and c.tag_ids @> ${sql.param(within ? [within.id] : [])}::int[]`,
  );
  if (!code) return null;
  return { ...code, createdAt: new Date(code.createdAt), lastAt: code.lastAt ? new Date(code.lastAt) : null };
}

/** When an account created its first code; null if it never did. */
export async function findFirstCreation(orm: Orm, accountId: string): Promise<Date | null> {
  const [first] = await readRows<{ createdAt: string }>(
    orm,
    sql`select created_at as "createdAt" from codes where account_id = ${accountId} order by number limit 1`,
  );
  return first ? new Date(first.createdAt) : null;
}

/** An account's current codes of one type. */
export interface CodesOfType {
  type: CodeType;
  codes: number;
  /** Recently visited. */
  active: number;
  /** Created in the period. */
  created: number;
  /** Not counted. */
  uncounted: number;
}

/** Codes that likely include the top of the ranking; their visits are the threshold for looking up others. */
const LIKELY_CODES = 50;

/**
 * An account's current codes, or the wanted ones: numbers by type, highest first, and the codes with the most
 * visits by people on the UTC days of the period. The visits of a code are the difference of two marks, so that
 * neither days nor visits are added up; a code with fewer visits in total than the last of the likely ones is not
 * looked up at all.
 */
export async function countCodes(
  orm: Orm,
  accountId: string,
  { period, wanted }: { period: Period; wanted: SQL | null },
  limit: number,
  now: Date,
): Promise<{ types: CodesOfType[]; ranked: RankedCode[] }> {
  const { from, to, starts } = period;
  const [start = 0, end = 0] = [starts[0], starts.at(-1)];
  const activeSince = new Date(now.getTime() - ACTIVE_DAYS * DAY_MS);
  const before = (dayCondition: SQL) =>
    sql`(select before from code_marks m where m.code_id = seen.id and ${dayCondition} order by m.day limit 1)`;
  const atEnd = utcDay(now) <= to ? sql`total` : sql`coalesce(${before(sql`m.day > ${to}`)}, total)`;
  const visits = sql`${atEnd} - ${before(sql`m.day >= ${from}`)} as visits`;
  const [row] = await readRows<{ types: CodesOfType[] | null; ranked: RankedCode[] | null }>(
    orm,
    sql`with own as materialized (
      select codes.id, codes.type, codes.is_counted, codes.created_at, t.last_at, t.scans + t.clicks as total
      from codes left join code_totals t on t.code_id = codes.id
      where codes.account_id = ${accountId} and codes.deleted_at is null and ${wanted ?? sql`true`}
    ), seen as materialized (
      select id, total from own where last_at >= ${`${from}T00:00:00Z`}
    ), likely as materialized (
      select ${visits} from (select id, total from seen order by total desc limit ${LIKELY_CODES}) as seen
    ), least as (
      select visits from likely where visits > 0 order by visits desc offset ${limit - 1} limit 1
    ), counted as materialized (
      select id, ${visits} from seen where total >= coalesce((select visits from least), 1)
    ), ranked as (
      select id, visits from counted where visits > 0 order by visits desc, id limit ${limit}
    )
    select (
      select json_agg(of_type order by codes desc, type) from (
        select type, count(*) as codes, count(*) filter (where last_at >= ${activeSince}) as active,
          count(*) filter (where created_at >= ${new Date(start)} and created_at < ${new Date(end)}) as created,
          count(*) filter (where not is_counted) as uncounted
        from own group by type
      ) as of_type
    ) as types, (
      select json_agg(json_build_object('id', c.id, 'type', c.type, 'name', c.name, 'content', c.content,
          'visits', r.visits)
        order by r.visits desc, c.id)
      from ranked r join codes c on c.id = r.id
    ) as ranked`,
  );
  return { types: row?.types ?? [], ranked: row?.ranked ?? [] };
}

/** Codes of an account that match a search of its list, newest first; `next` is the position of the next page. */
export async function findCodesByText(
  { orm, codeIndexes }: { orm: Orm; codeIndexes: CodeIndexes },
  accountId: string,
  { text, before }: { text: string; before?: number | undefined },
): Promise<{ codes: FoundCode[]; next: number | null }> {
  const filter = CodeFilter.parse({ search: text, show: 'all' });
  const { ids, next } = await findCodesBefore(codeIndexes, accountId, filter, {
    before,
    limit: SEARCH_PAGE_SIZE,
  });
  const codes = await readCodes(orm, accountId, ids);
  return {
    codes: codes.map(({ id, type, name, content }) => withDisplayedContent({ id, type, name, content })),
    next,
  };
}
