import { eq, sql } from 'drizzle-orm';
import { type CodeFilter, type CodeOrder, RECENT_DAYS } from '#contract/codes';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/rows';
import { pageOfCodes } from './blocks.store';
import type { Collections } from './collections';

interface Asked extends CodeFilter {
  order: CodeOrder;
  page: number;
  limit: number;
}

/** Ids of one page of those codes of an account that are asked for, and how many there are. */
export async function findCodes(
  orm: Orm,
  collections: Collections,
  accountId: string,
  asked: Asked,
): Promise<{ ids: string[]; total: number }> {
  if (isWholeList(asked)) return findNewest(orm, accountId, asked);
  const { order, page, limit, ...filter } = asked;
  const place = { from: (page - 1) * limit, to: page * limit };
  const { codes, total } = await collections.find(accountId, filter, order, place);
  return { ids: codes.map(({ id }) => id), total };
}

function isWholeList({ search, tag, type, visibility, show, order }: Asked): boolean {
  return `${search}${tag}` === '' && !type && !visibility && show === 'in_use' && order === 'newest';
}

async function findNewest(orm: Orm, accountId: string, { page, limit }: Asked) {
  const [account] = await orm
    .select({ codes: accounts.codeCount, archived: accounts.archivedCount })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  const total = (account?.codes ?? 0) - (account?.archived ?? 0);
  const rows = await readRows<{ id: string }>(orm, pageOfCodes(accountId, (page - 1) * limit, limit));
  return { ids: rows.map(({ id }) => id), total };
}

/** Numbers of all codes of an account that match, newest first. */
export async function findNumbers(
  collections: Collections,
  accountId: string,
  filter: CodeFilter,
): Promise<number[]> {
  return (await collections.find(accountId, filter, 'newest')).codes.map(({ number }) => number);
}

export const NO_VISITS = Array.from({ length: RECENT_DAYS }, () => 0);

/** Visits by people on each of the last UTC days, today last, by code; a code that was never visited is not in it. */
export async function readRecentVisits(
  orm: Orm,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, number[]>> {
  if (ids.length === 0) return new Map();
  const days = Array.from({ length: RECENT_DAYS }, (_, index) => dayOf(now, index + 1 - RECENT_DAYS));
  // A mark says how many visits there were before its day; the last one counts up to now.
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

function dayOf(now: Date, offset: number): string {
  return new Date(now.getTime() + offset * 24 * 3_600_000).toISOString().slice(0, 10);
}
