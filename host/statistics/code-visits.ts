import { and, eq, isNull, sql } from 'drizzle-orm';
import type { CodeHealth, CodeVisit, CodeVisits } from '#contract/code-visits';
import { isDynamic } from '#contract/contents/contents';
import { DAY_MS, HOUR_MS, utcDay } from '#contract/time';
import { NO_VISITS, readRecentVisits } from '#host/codes/search/list';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import { codeMarks, type FoldedDay } from '#host/db/statistics.tables';
import { codeTotals } from '#host/db/visits.tables';
import { ApiError } from '#host/http/errors';
import { accountKeyOf } from '#host/visits/count/account-key';
import { RAW_VISITS_MS } from '#host/visits/count/retention';
import { ACTIVE_DAYS } from './ranked-codes';

type CodeSums = NonNullable<Awaited<ReturnType<typeof findCodeSums>>>;

/** The totals of a code of this account; null if there is no such code. */
async function findCodeSums(orm: Orm, accountId: string, id: string) {
  const [row] = await orm
    .select({
      type: codes.type,
      isCounted: codes.isCounted,
      createdAt: codes.createdAt,
      totals: codeTotals,
      // The first day with a visit is the first one with a mark.
      firstDay: sql<
        string | null
      >`(select min(day)::text from ${codeMarks} where ${codeMarks.codeId} = ${codes.id})`,
    })
    .from(codes)
    .leftJoin(codeTotals, eq(codeTotals.codeId, codes.id))
    .where(and(eq(codes.id, id), eq(codes.accountId, accountId), isNull(codes.deletedAt)));
  if (!row) return null;
  const { totals, ...code } = row;
  return {
    ...code,
    scans: totals?.scans ?? 0,
    clicks: totals?.clicks ?? 0,
    others: totals?.others ?? 0,
    lastAt: totals?.lastAt ?? null,
  };
}

/**
 * The last visits of a code, by anyone. Visits are inserted without an index by code, because every scan would pay for
 * it; but the counters say which hours had visits, so that only those hours are read.
 */
async function listLastVisits(
  orm: Orm,
  { accountId, codeId }: { accountId: string; codeId: string },
  limit: number,
  now: Date,
) {
  const spans = await findLastSpans(orm, codeId, limit, now);
  if (spans.length === 0) return [];
  const accountKey = accountKeyOf(accountId);
  // Span by span: each query reads one day's partition, which is known when the statement is planned.
  const spanQueries = spans.map(
    ({ from, to }) => sql`
    select extract(epoch from at)::float8 * 1000 as ms, class, source, device, os, language, outcome
    from visits where code_id = ${codeId} and (account_key = ${accountKey} or account_key is null)
      and at >= ${new Date(from)} and at < ${new Date(to)}`,
  );
  const rows = await readRows<Omit<LastVisit, 'at'> & { ms: number }>(
    orm,
    sql`${sql.join(spanQueries, sql` union all `)} order by ms desc limit ${limit}`,
  );
  return rows.map(({ ms, ...visit }): LastVisit => ({ at: new Date(Math.round(ms)), ...visit }));
}

type LastVisit = Omit<CodeVisit, 'at'> & { at: Date };

interface Span {
  /** Milliseconds since the epoch. */
  from: number;
  to: number;
}

/** The latest hours in which a code had that many visits in total, newest first; consecutive hours are merged. */
async function findLastSpans(orm: Orm, codeId: string, limit: number, now: Date): Promise<Span[]> {
  const hours = await readLastHours(orm, codeId, limit, now);
  const spans: Span[] = [];
  let visitCount = 0;
  for (const [at, count] of [...hours].sort(([a], [b]) => b - a)) {
    if (visitCount >= limit) break;
    visitCount += count;
    const newer = spans.at(-1);
    if (newer?.from === at + HOUR_MS) newer.from = at;
    else spans.push({ from: at, to: at + HOUR_MS });
  }
  return spans;
}

/** Visits by hour, at least that many if there are; one statement, because a day may be folded concurrently. */
async function readLastHours(
  orm: Orm,
  codeId: string,
  limit: number,
  now: Date,
): Promise<Map<number, number>> {
  const since = new Date(now.getTime() - RAW_VISITS_MS);
  const [row] = await readRows<{ hours: [number, number][] | null; days: string | null }>(
    orm,
    sql`select (
      select json_agg(json_build_array(extract(epoch from hour)::bigint, count)) from (
        select hour, sum(count) as count from visit_hours where code_id = ${codeId}
        group by hour order by hour desc limit ${limit}
      ) as newest
    ) as hours, (
      select string_agg('["' || day || '",' || figures || ']', ',') from (
        select day, figures from day_figures where subject_id = ${codeId} and day >= ${utcDay(since)}
        order by day desc fetch first ${limit} rows with ties
      ) as newest
    ) as days`,
  );
  const counts = new Map<number, number>();
  const add = (at: number, count: number) => counts.set(at, (counts.get(at) ?? 0) + count);
  for (const [seconds, count] of row?.hours ?? []) add(seconds * 1000, count);
  const days: [string, FoldedDay][] = JSON.parse(`[${row?.days ?? ''}]`);
  for (const [day, { hours = {} }] of days) {
    for (const [hour, kinds] of Object.entries(hours)) {
      add(
        Date.parse(day) + Number(hour) * HOUR_MS,
        kinds.reduce((sum, count) => sum + count, 0),
      );
    }
  }
  return counts;
}

const NEW_DAYS = 7;
const LAST_VISITS = 20;

/** The figures and latest visits of a code. Throws `not_found` for a code of another account. */
export async function readCodeVisits(
  orm: Orm,
  accountId: string,
  id: string,
  now: Date,
): Promise<CodeVisits> {
  const code = await findCodeSums(orm, accountId, id);
  if (!code) throw new ApiError('not_found');
  const { scans, clicks, others, firstDay, lastAt } = code;
  const hasVisits = scans + clicks + others > 0;
  const visits = hasVisits ? await listLastVisits(orm, { accountId, codeId: id }, LAST_VISITS, now) : [];
  const recent = await readRecentVisits(orm, hasVisits ? [id] : [], now);
  const health = healthOf(code, now);
  return {
    health,
    total: scans + clicks,
    scans,
    clicks,
    others,
    firstDay,
    lastAt: lastAt?.toISOString() ?? null,
    recentVisits: health === 'uncounted' ? [] : (recent.get(id) ?? NO_VISITS).days,
    visits: visits.map(({ at, ...visit }) => ({ at: at.toISOString(), ...visit })),
  };
}

function healthOf({ type, isCounted, createdAt, lastAt }: CodeSums, now: Date): CodeHealth {
  const isWithin = (at: Date, days: number) => now.getTime() - at.getTime() <= days * DAY_MS;
  if (!isCounted || !isDynamic(type)) return 'uncounted';
  if (lastAt) return isWithin(lastAt, ACTIVE_DAYS) ? 'active' : 'quiet';
  return isWithin(createdAt, NEW_DAYS) ? 'new' : 'never';
}
