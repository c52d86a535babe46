import { eq, type SQL, sql } from 'drizzle-orm';
import { type CodeFilter, type CodeOrder, RECENT_DAYS } from '#contract/codes';
import { foldLabel } from '#contract/labels';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/rows';
import { pageOfCodes } from './blocks.store';
import { readSlug } from './slugs';

interface Asked extends CodeFilter {
  order: CodeOrder;
  page: number;
  limit: number;
}

const ORDERS: Record<CodeOrder, SQL> = {
  newest: sql`number desc`,
  name: sql`lower(coalesce(name, content)) collate "C", number desc`,
  visits: sql`coalesce(scans + clicks, 0) desc, number desc`,
  last_visit: sql`last_at desc nulls last, number desc`,
};

/** Ids of one page of those codes of an account that are asked for, and how many there are. */
export async function findCodes(
  orm: Orm,
  accountId: string,
  asked: Asked,
): Promise<{ ids: string[]; total: number }> {
  return isWholeList(asked) ? findNewest(orm, accountId, asked) : search(orm, accountId, asked);
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
export async function findNumbers(orm: Orm, accountId: string, filter: CodeFilter): Promise<number[]> {
  const rows = await readRows<{ number: number }>(
    orm,
    sql`select number from codes left join code_totals on code_totals.code_id = codes.id
    where ${sql.join(conditions(accountId, filter), sql` and `)} order by number desc`,
  );
  return rows.map(({ number }) => number);
}

async function search(orm: Orm, accountId: string, asked: Asked) {
  const matching = sql.join(conditions(accountId, asked), sql` and `);
  const counted = sql`codes left join code_totals on code_totals.code_id = codes.id`;
  const source = (isVisits: boolean) => (isVisits || asked.show === 'never_visited' ? counted : sql`codes`);
  const isByVisits = asked.order === 'visits' || asked.order === 'last_visit';
  const rows = await readRows<{ ids: string[]; total: string }>(
    orm,
    sql`select (select count(*) from ${source(false)} where ${matching}) as total, array(
      select codes.id from ${source(isByVisits)} where ${matching} order by ${ORDERS[asked.order]}
      limit ${asked.limit} offset ${(asked.page - 1) * asked.limit}
    ) as ids`,
  );
  return { ids: rows[0]?.ids ?? [], total: Number(rows[0]?.total ?? 0) };
}

function conditions(accountId: string, { search, tag, type, visibility, show }: CodeFilter): SQL[] {
  const tagged = (condition: SQL) =>
    sql`tag_ids && array(select id from tags where account_id = ${accountId} and ${condition})`;
  // A regular expression is the text as it stands behind `***=`.
  const text = `***=${search}`;
  return [
    sql`codes.account_id = ${accountId} and deleted_at is null`,
    ...(show === 'all'
      ? []
      : [show === 'archived' ? sql`archived_at is not null` : sql`archived_at is null`]),
    ...(show === 'never_visited' ? [sql`type <> 'wifi' and coalesce(scans + clicks, 0) = 0`] : []),
    ...(type ? [sql`type = ${type}`] : []),
    ...(visibility ? [sql`visibility = ${visibility}`] : []),
    ...(tag ? [tagged(sql`key = ${foldLabel(tag)}`)] : []),
    ...(search
      ? [
          sql`(content ~* ${text} or name ~* ${text} or slug = ${readSlug(search.split('/').at(-1) ?? '')}
            or ${tagged(sql`key ~ ${`***=${foldLabel(search)}`}`)})`,
        ]
      : []),
  ];
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
