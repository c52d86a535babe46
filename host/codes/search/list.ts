import { sql } from 'drizzle-orm';
import { CodeFilter, type CodeOrder, RECENT_DAYS } from '#contract/codes';
import { DAY_MS, utcDay } from '#contract/time';
import { pageOfCodes } from '#host/codes/blocks/store';
import { type CodeRow, readCodes, readNewest } from '#host/codes/code/store';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { IndexFilter } from './code-index';
import type { CodeIndexes } from './indexes';

type CodeQuery = IndexFilter & {
  order: CodeOrder;
  page: number;
  limit: number;
};

/** Ids of one page of an account's codes that match, and how many match in all. */
export async function findCodes(
  orm: Orm,
  codeIndexes: CodeIndexes,
  accountId: string,
  query: CodeQuery,
): Promise<{ ids: string[]; total: number }> {
  if (query.order === 'newest' && isWhole(query)) return findNewest(orm, accountId, query);
  const { order, page, limit, ...filter } = query;
  const range = { from: (page - 1) * limit, to: page * limit };
  const { codes, total } = await codeIndexes.find(accountId, filter, order, range);
  return { ids: codes.map(({ id }) => id), total };
}

/** Whether all codes in use are wanted, which the database has in their order, newest first. */
function isWhole({ search, tag, campaign, type, visibility, show, import: importId, within }: IndexFilter) {
  const isFiltered = `${search}${tag}${campaign}` !== '' || type || visibility || importId || within;
  return !isFiltered && show === 'in_use';
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
  filter: IndexFilter,
): Promise<number[]> {
  return (await codeIndexes.find(accountId, filter, 'newest')).codes.map(({ number }) => number);
}

/** The newest codes that match and have lower numbers, and the number of the last if more follow. */
export async function readCodesBelow(
  orm: Orm,
  codeIndexes: CodeIndexes,
  accountId: string,
  filter: IndexFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<{ rows: CodeRow[]; next: number | null }> {
  if (!isWhole(filter)) {
    const { ids, next } = await findCodesBefore(codeIndexes, accountId, filter, { before, limit });
    return { rows: await readCodes(orm, accountId, ids), next };
  }
  const rows = await readNewest(orm, accountId, { below: before, limit: limit + 1 });
  const first = rows.slice(0, limit);
  return { rows: first, next: rows.length > limit ? (first.at(-1)?.number ?? null) : null };
}

/** Ids of the newest codes that match and have lower numbers, and the number of the last if more follow. */
export async function findCodesBefore(
  codeIndexes: CodeIndexes,
  accountId: string,
  filter: IndexFilter,
  { before: below = Number.POSITIVE_INFINITY, limit }: { before?: number | undefined; limit: number },
): Promise<{ ids: string[]; next: number | null }> {
  const { codes } = await codeIndexes.find(accountId, filter, 'newest', { from: 0, to: limit + 1, below });
  const first = codes.slice(0, limit);
  return {
    ids: first.map(({ id }) => id),
    next: codes.length > limit ? (first.at(-1)?.number ?? null) : null,
  };
}

/** Ids of all codes of an account that lead to an address with this `utm_campaign`, archived ones included. */
export async function findCampaign(
  codeIndexes: CodeIndexes,
  accountId: string,
  campaign: string,
): Promise<string[]> {
  const filter = CodeFilter.parse({ campaign, show: 'all' });
  return (await codeIndexes.find(accountId, filter, 'newest')).codes.map(({ id }) => id);
}

/** How many of an account's codes that match were visited by people since this time. */
export async function countVisited(
  codeIndexes: CodeIndexes,
  accountId: string,
  filter: IndexFilter,
  since: Date,
): Promise<number> {
  const { codes } = await codeIndexes.find(accountId, filter, 'newest');
  return codes.filter(({ lastAt }) => lastAt / 1_000 >= since.getTime()).length;
}

const MONTH_DAYS = 30;

export interface RecentVisits {
  /** On each of the last `RECENT_DAYS`, today last. */
  days: number[];
  /** On the last 30 days. */
  month: number;
}

export const NO_VISITS: RecentVisits = { days: Array.from({ length: RECENT_DAYS }, () => 0), month: 0 };

/** Visits by people on the last UTC days, by code; codes that were not visited then are left out. */
export async function readRecentVisits(
  orm: Orm,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, RecentVisits>> {
  if (ids.length === 0) return new Map();
  const days = Array.from({ length: RECENT_DAYS }, (_, index) => dayBefore(now, RECENT_DAYS - 1 - index));
  // A mark holds the number of visits before its day; the last one is the count up to now.
  const rows = await readRows<{ id: string; day: string; visits: string }>(
    orm,
    sql`
    select code_id as id, day::text, coalesce(lead(before) over (partition by code_id order by day), total) - before as visits
    from code_marks join (
      select code_id, scans + clicks as total from code_totals where code_id = any (${sql.param([...ids])}::uuid[])
    ) as totals using (code_id)
    where day >= ${dayBefore(now, MONTH_DAYS - 1)}`,
  );
  const found = new Map<string, RecentVisits>();
  for (const { id, day, visits } of rows) {
    const { days: counts, month } = found.get(id) ?? { ...NO_VISITS, days: [...NO_VISITS.days] };
    const index = days.indexOf(day);
    if (index >= 0) counts[index] = Number(visits);
    found.set(id, { days: counts, month: month + Number(visits) });
  }
  return found;
}

/**
 * Visits by people on the last 30 UTC days to all codes an account has or had, as in its statistics: finished days from
 * what they were folded into, the others from the hours.
 */
export async function readMonthVisits(orm: Orm, accountId: string, now: Date): Promise<number> {
  const first = dayBefore(now, MONTH_DAYS - 1);
  const [row] = await readRows<{ visits: string }>(
    orm,
    sql`select (
      select coalesce(sum((hour.value->>0)::bigint + (hour.value->>1)::bigint), 0)
      from day_figures, json_each(coalesce(figures::json->'hours', '{}')) as hour
      where subject_id = ${accountId} and day >= ${first}
    ) + (
      select coalesce(sum(scans + clicks), 0) from account_hours
      where account_id = ${accountId} and hour >= ${first}::date at time zone 'UTC'
    ) as visits`,
  );
  return Number(row?.visits ?? 0);
}

function dayBefore(now: Date, days: number): string {
  return utcDay(now.getTime() - days * DAY_MS);
}
