import { sql } from 'drizzle-orm';
import type { CodeType } from '#contract/codes';
import type { FileRow, StatisticsFile } from '#contract/exports';
import { DAY_MS, utcDay } from '#contract/time';
import { displayedContent } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { accountKeyOf } from '#host/visits/count/account-key';
import { readCampaigns } from './campaigns';
import { countPeriod, type ResolvedFilter, readVisitsOf } from './figures';
import type { PeopleDay } from './people';
import { hoursOf } from './period';
import { FACETS, Tally } from './tally';
import { addCodeHour, rangeOf } from './visits';

/** Reads from a server that has everything the account has changed. */
type Read = <T>(work: (orm: Orm) => Promise<T>) => Promise<T>;

/** The rows of each file in pages, so that a long file needs the memory of one page. */
export const PAGES: {
  [File in StatisticsFile]: (read: Read, filter: ResolvedFilter) => AsyncGenerator<FileRow<File>[]>;
} = {
  async *'daily.csv'(read, filter) {
    yield await read((orm) => listDays(orm, filter));
  },
  async *'hours.csv'(read, filter) {
    const { tally } = await read((orm) => countPeriod(orm, filter));
    yield tally.hours.map((visits, hour) => ({ hour, visits }));
  },
  async *'breakdowns.csv'(read, filter) {
    const { tally } = await read((orm) => countPeriod(orm, filter));
    yield FACETS.flatMap((dimension) => tally.valuesOf(dimension).map((row) => ({ dimension, ...row })));
    const campaigns = await read((orm) => readCampaigns(orm, filter));
    yield Object.entries(campaigns).flatMap(([dimension, rows]) =>
      rows.map((row) => ({ dimension, ...row })),
    );
  },
  'code-days.csv': listCodeDays,
  'visits.csv': listVisits,
};

const NOBODY: Omit<PeopleDay, 'day'> = { visitors: 0, measured: 0, engaged: 0, engagements: 0 };

/** A row for each date of the period; their sums equal the figures of the statistics. */
async function listDays(orm: Orm, filter: ResolvedFilter): Promise<FileRow<'daily.csv'>[]> {
  const { tally, people } = await countPeriod(orm, filter);
  const peopleByDay = new Map(people.map((row) => [row.day, row]));
  const isMeasured = people.some(({ measured }) => measured > 0);
  return filter.period.dates.map((day, position) => {
    const counts = tally.days[position] ?? { scans: 0, clicks: 0, bots: 0, previews: 0, owner: 0 };
    const { visitors, measured, engaged, engagements } = peopleByDay.get(day) ?? NOBODY;
    return {
      day,
      hours: hoursOf(filter.period, position),
      visits: counts.scans + counts.clicks,
      ...counts,
      unique_visitors: visitors,
      measured_visitors: measured,
      distinct_engagements: isMeasured ? engaged : null,
      engagements: isMeasured ? engagements : null,
    };
  });
}

interface FiledCode {
  id: string;
  number: number;
  type: CodeType;
  name: string | null;
  content: string;
}

const CODES_PER_PAGE = 200;

/** Newest codes first, the days of each in their order. */
async function* listCodeDays(read: Read, filter: ResolvedFilter): AsyncGenerator<FileRow<'code-days.csv'>[]> {
  let before: number | null = null;
  do {
    const page = await read((orm) => readCodeDays(orm, filter, before));
    yield page.rows;
    before = page.next;
  } while (before !== null);
}

async function readCodeDays(orm: Orm, filter: ResolvedFilter, before: number | null) {
  const { period } = filter;
  const codes = await readRows<FiledCode>(
    orm,
    sql`select id, number, type, name, content from codes
      where ${isWanted(filter)} and (${before}::int is null or number < ${before}::int)
      order by number desc limit ${CODES_PER_PAGE}`,
  );
  const tallies = new Map(codes.map(({ id }) => [id, new Tally(period)]));
  for (const { id, day, figures, hours } of await readVisitsOf(orm, [...tallies.keys()], rangeOf(period))) {
    const tally = tallies.get(id);
    if (!tally) continue;
    if (figures) tally.addFolded(day, figures);
    for (const hour of hours) addCodeHour(tally, hour);
  }
  const rows = codes.flatMap((code) => daysOf(code, tallies.get(code.id), period.dates));
  return { rows, next: codes.length < CODES_PER_PAGE ? null : (codes.at(-1)?.number ?? null) };
}

function daysOf(code: FiledCode, tally: Tally | undefined, dates: string[]): FileRow<'code-days.csv'>[] {
  const { id, name, type } = code;
  const content = displayedContent(code);
  return dates.flatMap((day, position) => {
    const counts = tally?.days[position];
    if (!counts || Object.values(counts).every((count) => count === 0)) return [];
    const visits = counts.scans + counts.clicks;
    return [{ code_id: id, code_name: name, type, content, day, visits, ...counts }];
  });
}

type VisitRow = FileRow<'visits.csv'> & { ms: number; place: string };

const VISITS_PER_PAGE = 2_000;

/** Day by day: each is a partition, which has an index by account as soon as it is over. */
async function* listVisits(read: Read, filter: ResolvedFilter): AsyncGenerator<FileRow<'visits.csv'>[]> {
  const { starts } = filter.period;
  const [begin = 0, end = 0] = [starts[0], starts.at(-1)];
  yield [];
  for (let day = Date.parse(utcDay(begin)); day < end; day += DAY_MS) {
    const [from, to] = [Math.max(day, begin), Math.min(day + DAY_MS, end)];
    let last: Pick<VisitRow, 'ms' | 'place'> | undefined = { ms: from, place: '(0,0)' };
    while (last) {
      const rows: VisitRow[] = await readVisits(read, filter, last, to);
      yield rows.map(({ place, ms, ...row }) => ({ ...row, at: new Date(ms).toISOString() }));
      last = rows.length < VISITS_PER_PAGE ? undefined : rows.at(-1);
    }
  }
}

/** Several visits may be of the same millisecond: their places in the table tell which of them were read. */
function readVisits(
  read: Read,
  filter: ResolvedFilter,
  last: Pick<VisitRow, 'ms' | 'place'>,
  to: number,
): Promise<VisitRow[]> {
  const key = accountKeyOf(filter.accountId);
  return read((orm) =>
    readRows<VisitRow>(
      orm,
      sql`select round(extract(epoch from at) * 1000)::float8 as ms, v.ctid::text as place, code_id, name as code_name,
          source, class, outcome, device, os, language, country
        from visits v join codes on codes.id = code_id
        where account_key = ${key} and ${isWanted(filter)} and at >= ${new Date(last.ms)} and at < ${new Date(to)}
          and (at, v.ctid) > (${new Date(last.ms)}, ${last.place}::tid)
        order by at, v.ctid limit ${VISITS_PER_PAGE}`,
    ),
  );
}

/** The codes that a file is about. */
function isWanted({ accountId, code, wanted }: ResolvedFilter) {
  const isOwn = sql`codes.account_id = ${accountId} and codes.deleted_at is null`;
  if (code) return sql`${isOwn} and codes.id = ${code.id}`;
  return wanted ? sql`${isOwn} and ${wanted}` : isOwn;
}
