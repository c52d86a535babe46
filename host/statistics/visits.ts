import { sql } from 'drizzle-orm';
import { DAY_MS, utcDay } from '#contract/time';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { FoldedDay } from '#host/db/statistics.tables';
import type { Period } from './period';
import { type Counts, type Facet, Tally } from './tally';

/** The subject of figures: an account, or one code. */
interface Subject {
  accountId: string;
  codeId: string | null;
}

export interface CodeHour {
  hour: Date;
  source: 'scan' | 'click';
  class: 'human' | 'bot' | 'preview' | 'owner';
  device: string;
  os: string;
  language: string;
  country: string;
  count: number;
  visitors: number;
}

const COLUMN_OF = { bot: 'bots', preview: 'previews', owner: 'owner' } as const;

/**
 * All visits of a period, summed from counters: one object for each past day, hours for today. One statement reads
 * both, because a day may be folded concurrently.
 */
export async function tallyVisits(orm: Orm, subject: Subject, period: Period): Promise<Tally> {
  const tally = new Tally(period);
  const range = rangeOf(period);
  if (subject.codeId === null) await addAccount(orm, subject.accountId, range, tally);
  else await addCode(orm, subject.codeId, range, tally);
  return tally;
}

export interface Range {
  from: Date;
  to: Date;
  firstDay: string;
  lastDay: string;
}

/** Hours that cover both the local days and the UTC days of the same dates. */
export function rangeOf({ from, to, starts }: Period): Range {
  const begin = Math.min(Date.parse(from), starts[0] ?? 0);
  const end = Math.max(Date.parse(to) + DAY_MS, starts.at(-1) ?? 0);
  return { from: new Date(begin), to: new Date(end), firstDay: utcDay(begin), lastDay: utcDay(end - 1) };
}

async function addAccount(orm: Orm, accountId: string, range: Range, tally: Tally): Promise<void> {
  const [row] = await readRows<{
    days: string | null;
    hours: [number, number, number, number, number, number][] | null;
    facets: [string, Facet, string, number][] | null;
  }>(
    orm,
    sql`select ${foldedDays(accountId, range)} as days, (
      select json_agg(json_build_array(extract(epoch from hour)::bigint, scans, clicks, bots, previews, owner))
      from account_hours where account_id = ${accountId} and hour >= ${range.from} and hour < ${range.to}
    ) as hours, (
      select json_agg(json_build_array(day, facet, value, visits)) from account_facets
      where account_id = ${accountId} and day between ${range.firstDay} and ${range.lastDay}
    ) as facets`,
  );
  addFoldedDays(tally, row?.days ?? null);
  for (const [seconds, scans, clicks, bots, previews, owner] of row?.hours ?? []) {
    tally.addHour(seconds * 1000, { scans, clicks, bots, previews, owner });
  }
  for (const [day, facet, value, visits] of row?.facets ?? []) tally.addFacet(day, facet, value, visits);
}

async function addCode(orm: Orm, codeId: string, range: Range, tally: Tally): Promise<void> {
  const [row] = await readRows<{ days: string | null; hours: CodeHour[] | null }>(
    orm,
    sql`select ${foldedDays(codeId, range)} as days, (
      select json_agg(h) from visit_hours h
      where code_id = ${codeId} and hour >= ${range.from} and hour < ${range.to}
    ) as hours`,
  );
  addFoldedDays(tally, row?.days ?? null);
  for (const hour of row?.hours ?? []) addCodeHour(tally, hour);
}

export function addCodeHour(tally: Tally, row: CodeHour): void {
  const at = Date.parse(String(row.hour));
  const day = utcDay(at);
  const isHuman = row.class === 'human';
  const column = isHuman ? (`${row.source}s` as const) : COLUMN_OF[row.class as keyof typeof COLUMN_OF];
  const none: Counts = { scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 };
  tally.addHour(at, { ...none, [column]: row.count });
  tally.addVisitors(day, row.visitors);
  if (!isHuman) return;
  for (const facet of ['country', 'device', 'language', 'os'] as const) {
    tally.addFacet(day, facet, row[facet], row.count);
  }
}

function addFoldedDays(tally: Tally, list: string | null): void {
  const days: [string, FoldedDay][] = JSON.parse(`[${list ?? ''}]`);
  for (const [day, figures] of days) tally.addFolded(day, figures);
}

/** Adds scans and clicks alone, of an account or of codes: a fraction of what `tallyVisits` has to read. */
export async function addTotals(
  orm: Orm,
  subject: { accountId: string } | { codeIds: string[] },
  { from, to, firstDay, lastDay }: Range,
  tally: Tally,
): Promise<void> {
  const ids = sql.param('codeIds' in subject ? subject.codeIds : [subject.accountId]);
  const hours =
    'codeIds' in subject
      ? sql`select hour, sum(count) filter (where source = 'scan') as scans,
          sum(count) filter (where source = 'click') as clicks
        from visit_hours where code_id = any (${ids}::uuid[]) and class = 'human' and hour >= ${from} and hour < ${to}
        group by hour`
      : sql`select hour, scans, clicks from account_hours
        where account_id = ${subject.accountId} and hour >= ${from} and hour < ${to}`;
  const [row] = await readRows<{ days: string | null; hours: [number, number, number][] | null }>(
    orm,
    sql`select (
      select string_agg('["' || day || '",{"hours":' || (figures::json->>'hours') || '}]', ',') from day_figures
      where subject_id = any (${ids}::uuid[]) and day between ${firstDay} and ${lastDay}
    ) as days, (
      select json_agg(json_build_array(extract(epoch from hour)::bigint, coalesce(scans, 0), coalesce(clicks, 0)))
      from (${hours}) as counted
    ) as hours`,
  );
  addFoldedDays(tally, row?.days ?? null);
  const others = { bots: 0, previews: 0, owner: 0 };
  for (const [seconds, scans, clicks] of row?.hours ?? [])
    tally.addHour(seconds * 1000, { scans, clicks, ...others });
}

function foldedDays(subjectId: string, { firstDay, lastDay }: Range) {
  return sql`(
    select string_agg('["' || day || '",' || figures || ']', ',') from day_figures
    where subject_id = ${subjectId} and day between ${firstDay} and ${lastDay}
  )`;
}
