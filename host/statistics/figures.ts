import { type SQL, sql } from 'drizzle-orm';
import type { Body } from '#contract/call';
import { isMeasured } from '#contract/contents/contents';
import type { getStatistics } from '#contract/statistics';
import { utcDay } from '#contract/time';
import { findTag } from '#host/codes/code/tags';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { findCampaign } from '#host/codes/search/list';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { FoldedDay } from '#host/db/statistics.tables';
import type { CallerTag } from '#host/http/caller';
import { ApiError } from '#host/http/errors';
import { type PeopleDay, readPeople, readPeopleOfCode } from './people';
import { type Period, readPeriod } from './period';
import { findSelectedCode, type SelectedCode } from './ranked-codes';
import { Tally } from './tally';
import { addCodeHour, addTotals, type CodeHour, type Range, rangeOf, tallyVisits } from './visits';

export type StatisticsFilter = Body<typeof getStatistics> & {
  /** The tag that the caller is limited to, if any. */
  within?: CallerTag | null;
  /** Ids of the codes of `campaign`, which `findCampaign` finds. */
  ofCampaign?: string[] | null;
};

/** A validated query, whose code or tag exists. */
export interface ResolvedFilter {
  accountId: string;
  period: Period;
  /** Null for all codes, or for several. */
  code: SelectedCode | null;
  /** Condition on `codes`: those with a tag, or of a campaign; null for a single code and for all. */
  wanted: SQL | null;
  /** As its owner typed it first. */
  tag: string | null;
}

/** The filter with what `readFilter` needs for a campaign. */
export async function withCodesOfCampaign(
  codeIndexes: CodeIndexes,
  accountId: string,
  filter: StatisticsFilter,
): Promise<StatisticsFilter> {
  const { code, campaign } = filter;
  if (code !== null || !campaign) return filter;
  return { ...filter, ofCampaign: await findCampaign(codeIndexes, accountId, campaign) };
}

/** Throws `not_found` for a code of another account or a tag that no code has, `invalid` for a future range. */
export async function readFilter(
  orm: Orm,
  accountId: string,
  filter: StatisticsFilter,
  now: Date,
): Promise<ResolvedFilter> {
  const period = readPeriod(filter, now);
  const { within = null, ofCampaign = null } = filter;
  const code = filter.code === null ? null : await findSelectedCode(orm, accountId, filter.code, within);
  if (filter.code !== null && !code) throw new ApiError('not_found');
  const tag = code || !filter.tag ? null : await findTag(orm, accountId, filter.tag);
  if (filter.tag && !code && !tag) throw new ApiError('not_found');
  const tags = [tag, within].filter((one) => one !== null);
  const conditions = [
    ...(tags.length > 0 ? [sql`codes.tag_ids @> ${sql.param(tags.map(({ id }) => id))}::int[]`] : []),
    ...(ofCampaign ? [sql`codes.id = any (${sql.param(ofCampaign)}::uuid[])`] : []),
  ];
  const wanted = code || conditions.length === 0 ? null : sql.join(conditions, sql` and `);
  return { accountId, period, code, wanted, tag: code ? null : (tags[0]?.label ?? null) };
}

/** Visits and persons of a period, which all its figures are computed from. */
export async function countPeriod(
  orm: Orm,
  { accountId, period, code, wanted }: ResolvedFilter,
): Promise<{ tally: Tally; people: PeopleDay[] }> {
  if (wanted) return countWanted(orm, wanted, period);
  const tallying = tallyVisits(orm, { accountId, codeId: code?.id ?? null }, period);
  const [tally, people] = await Promise.all([
    tallying,
    code
      ? tallying.then((tally) => readPeopleOfCode(orm, code, period, tally))
      : readPeople(orm, accountId, period),
  ]);
  return { tally, people };
}

/** Scans and clicks of each day alone, for a comparison. */
export async function countTotals(
  orm: Orm,
  { accountId, period, code, wanted }: ResolvedFilter,
): Promise<Tally['days']> {
  const tally = new Tally(period);
  const range = rangeOf(period);
  if (!wanted) await addTotals(orm, code ? { codeIds: [code.id] } : { accountId }, range, tally);
  else {
    const codes = await readWanted(orm, wanted);
    for (let start = 0; start < codes.length; start += CODES_AT_ONCE) {
      const codeIds = codes.slice(start, start + CODES_AT_ONCE).map(({ id }) => id);
      await addTotals(orm, { codeIds }, range, tally);
    }
  }
  return tally.days;
}

interface WantedCode {
  id: string;
  type: string;
  /** UTC day of the first report from its target page. */
  since: string | null;
}

/** Codes read at once, so that other work gets a turn in between. */
const CODES_AT_ONCE = 200;

/**
 * Visits and persons of the codes that meet a condition now. A person who visits two of them on a day counts as a
 * visitor of each, because persons can be identified only during the day.
 */
async function countWanted(
  orm: Orm,
  wanted: SQL,
  period: Period,
): Promise<{ tally: Tally; people: PeopleDay[] }> {
  const tally = new Tally(period);
  const measured = new Map<string, number>();
  const codes = await readWanted(orm, wanted);
  for (let start = 0; start < codes.length; start += CODES_AT_ONCE)
    await addCodes(orm, codes.slice(start, start + CODES_AT_ONCE), rangeOf(period), { tally, measured });
  const engaged = await readRows<Pick<PeopleDay, 'day' | 'engaged' | 'engagements'>>(
    orm,
    sql`select day::text, sum(engaged)::bigint as engaged, sum(engagements)::bigint as engagements
    from code_engagements join codes on codes.id = code_id
    where ${wanted} and deleted_at is null and day between ${period.from} and ${period.to}
    group by day`,
  );
  const engagementsByDay = new Map(engaged.map((row) => [row.day, row]));
  const people = [...tally.visitors].map(([day, visitors]) => ({
    day,
    visitors,
    measured: measured.get(day) ?? 0,
    engaged: Number(engagementsByDay.get(day)?.engaged ?? 0),
    engagements: Number(engagementsByDay.get(day)?.engagements ?? 0),
  }));
  return { tally, people };
}

function readWanted(orm: Orm, wanted: SQL): Promise<WantedCode[]> {
  return readRows<WantedCode>(
    orm,
    sql`select id, type, since::text from codes left join code_beacons on code_id = id
    where ${wanted} and deleted_at is null order by id`,
  );
}

async function addCodes(
  orm: Orm,
  codes: WantedCode[],
  range: Range,
  { tally, measured }: { tally: Tally; measured: Map<string, number> },
): Promise<void> {
  const byId = new Map(codes.map((code) => [code.id, code]));
  const count = ({ type, since }: WantedCode, day: string, visitors: number, visits: number) => {
    tally.addFacet(day, 'type', type, visits);
    const measures = isMeasured(type) || (since !== null && day >= since);
    if (measures && visitors > 0) measured.set(day, (measured.get(day) ?? 0) + visitors);
  };
  for (const { id, day, figures, hours } of await readVisitsOf(orm, [...byId.keys()], range)) {
    const code = byId.get(id);
    if (!code) continue;
    if (figures) {
      tally.addFolded(day, figures);
      const visits = Object.values(figures.facets?.device ?? {}).reduce((sum, one) => sum + one, 0);
      count(code, day, figures.visitors ?? 0, visits);
    }
    for (const hour of hours) {
      addCodeHour(tally, hour);
      const hourDay = utcDay(Date.parse(String(hour.hour)));
      count(code, hourDay, hour.visitors, hour.class === 'human' ? hour.count : 0);
    }
  }
}

interface CodeFigures {
  id: string;
  /** With `figures`. */
  day: string;
  /** Of a past UTC day. */
  figures: FoldedDay | null;
  hours: CodeHour[];
}

/** What was counted for each of these codes: past UTC days, and hours of days that are not folded yet. */
export async function readVisitsOf(
  orm: Orm,
  codeIds: string[],
  { from, to, firstDay, lastDay }: Range,
): Promise<CodeFigures[]> {
  const ids = sql.param(codeIds);
  // One statement, because a day may be folded concurrently.
  const rows = await readRows<{ id: string; day: string; figures: string | null; hours: CodeHour[] | null }>(
    orm,
    sql`select subject_id as id, day::text, figures, null::json as hours from day_figures
      where subject_id = any (${ids}::uuid[]) and day between ${firstDay} and ${lastDay}
    union all
    select code_id, '', null, json_agg(h) from visit_hours h
      where code_id = any (${ids}::uuid[]) and hour >= ${from} and hour < ${to} group by code_id`,
  );
  return rows.map(({ figures, hours, ...row }) => ({
    ...row,
    figures: figures === null ? null : JSON.parse(figures),
    hours: hours ?? [],
  }));
}
