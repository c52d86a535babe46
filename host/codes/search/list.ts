import { sql } from 'drizzle-orm';
import { type CodeFilter, type CodeOrder, RECENT_DAYS } from '#contract/codes';
import { DAY_MS, utcDay } from '#contract/time';
import { pageOfCodes } from '#host/codes/blocks/store';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { CodeIndexes } from './indexes';

interface CodeQuery extends CodeFilter {
  order: CodeOrder;
  page: number;
  limit: number;
}

/** Ids of one page of an account's codes that match, and how many match in all. */
export async function findCodes(
  orm: Orm,
  codeIndexes: CodeIndexes,
  accountId: string,
  query: CodeQuery,
): Promise<{ ids: string[]; total: number }> {
  if (isWholeList(query)) return findNewest(orm, accountId, query);
  const { order, page, limit, ...filter } = query;
  const range = { from: (page - 1) * limit, to: page * limit };
  const { codes, total } = await codeIndexes.find(accountId, filter, order, range);
  return { ids: codes.map(({ id }) => id), total };
}

function isWholeList({ search, tag, type, visibility, show, order }: CodeQuery): boolean {
  return `${search}${tag}` === '' && !type && !visibility && show === 'in_use' && order === 'newest';
}

async function findNewest(orm: Orm, accountId: string, { page, limit }: CodeQuery) {
  const [found] = await readRows<{ ids: string[]; total: number }>(
    orm,
    sql`select array(${pageOfCodes(accountId, (page - 1) * limit, limit)}) as ids, code_count - archived_count as total
    from accounts where id = ${accountId}`,
  );
  return found ?? { ids: [], total: 0 };
}

/** Numbers of all codes of an account that match, newest first. */
export async function findNumbers(
  codeIndexes: CodeIndexes,
  accountId: string,
  filter: CodeFilter,
): Promise<number[]> {
  return (await codeIndexes.find(accountId, filter, 'newest')).codes.map(({ number }) => number);
}

export const NO_VISITS = Array.from({ length: RECENT_DAYS }, () => 0);

/** Human visits on each of the last UTC days, today last, by code; codes that were never visited are left out. */
export async function readRecentVisits(
  orm: Orm,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, number[]>> {
  if (ids.length === 0) return new Map();
  const days = Array.from({ length: RECENT_DAYS }, (_, index) =>
    utcDay(now.getTime() + (index + 1 - RECENT_DAYS) * DAY_MS),
  );
  // A mark holds the number of visits before its day; the last one is the count up to now.
  const rows = await readRows<{ id: string; day: string; visits: string }>(
    orm,
    sql`
    select code_id as id, day::text, coalesce(lead(before) over (partition by code_id order by day), total) - before as visits
    from code_marks join (
      select code_id, scans + clicks as total from code_totals where code_id = any (${sql.param([...ids])}::uuid[])
    ) as totals using (code_id)
    where day >= ${days[0]}`,
  );
  const found = new Map<string, number[]>();
  for (const { id, day, visits } of rows) {
    const counts = found.get(id) ?? [...NO_VISITS];
    const index = days.indexOf(day);
    if (index >= 0) counts[index] = Number(visits);
    found.set(id, counts);
  }
  return found;
}
