import type { Statement } from '#host/db/client';
import type { CodeOwner } from './count';
import type { JournaledVisit } from './journal';
import { type CodeHour, columns, countAccounts, createCodeCounts, list, sorted } from './sums';
import { dayOf } from './visitors';

/**
 * One statement, so one transaction: the rows of the journal go and the counters have them. Another program may have
 * begun with some of these rows, or an account may have been erased meanwhile: then nothing happens, and the answer
 * says how many rows and accounts there were. Rows come sorted: statements that run at the same time lock them in the
 * same order.
 *
 * A person counts in the hour of the first visit of the day: `arrived` knows who is new, `line` leads from there to
 * the row of that hour.
 */
const COUNT_VISITS = `
with mine as materialized (
  select id from visit_journal where id = any ($1::bigint[]) order by id for update skip locked
), alive as materialized (
  select id from accounts where id = any ($2::uuid[]) and deleted_at is null order by id for key share
), place as materialized (
  select from mine having count(*) = cardinality($1::bigint[])
    and (select count(*) from alive) = cardinality($2::uuid[])
), taken as (
  delete from visit_journal using place where id = any ($1::bigint[])
), raw as (
  insert into visits (code_id, at, source, class, outcome, device, os, language, country)
  select code_id, $3::timestamptz + ms * interval '1 millisecond', source, class, outcome, device, os, language, country
  from place, unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
    $12::text[], $13::text[]) as visit (code_id, ms, source, class, outcome, device, os, language, country)
), persons as materialized (
  select code_id, $4::date + days as day, visitor, line, account_id, measured
  from place, unnest($14::uuid[], $15::int[], $16::bigint[], $17::int[], $18::uuid[], $19::bool[])
    as person (code_id, days, visitor, line, account_id, measured)
), arrived as (
  insert into visitor_days (code_id, day, visitor) select code_id, day, visitor from persons
  on conflict do nothing returning code_id, day, visitor
), newcomers as materialized (
  select code_id, day, visitor, line, account_id, measured from arrived join persons using (code_id, day, visitor)
), hours as (
  insert into visit_hours as t (code_id, hour, source, class, device, os, language, country, count, visitors)
  select code_id, $3::timestamptz + hours * interval '1 hour', source, class, device, os, language, country, count,
    coalesce(new.visitors, 0)
  from place cross join unnest($20::uuid[], $21::int[], $22::text[], $23::text[], $24::text[], $25::text[], $26::text[],
      $27::text[], $28::int[]) with ordinality
      as counted (code_id, hours, source, class, device, os, language, country, count, line)
    left join (select line, count(*) as visitors from newcomers group by line) as new using (line)
  order by line
  on conflict (code_id, hour, source, class, device, os, language, country)
    do update set count = t.count + excluded.count, visitors = t.visitors + excluded.visitors
), days as materialized (
  select code_id, $4::date + days as day, count, earlier, total, last_day
  from place cross join unnest($29::uuid[], $30::int[], $31::int[], $32::int[]) as day (code_id, days, count, earlier)
    left join lateral (
      select scans + clicks as total, (last_at at time zone 'UTC')::date as last_day
      from code_totals where code_totals.code_id = day.code_id offset 0
    ) as known on true
), marks as (
  insert into code_marks (code_id, day, before)
  select code_id, day, earlier + coalesce(
    (select m.before from code_marks m where days.last_day > days.day and m.code_id = days.code_id and m.day > days.day
      order by m.day limit 1), total, 0)
  from days where last_day is distinct from day
  on conflict do nothing
), later_marks as (
  update code_marks m set before = m.before + (select sum(count) from days where code_id = m.code_id and day < m.day)
  from (select code_id, min(day) as day from days where last_day > day group by code_id) as late
  where m.code_id = late.code_id and m.day > late.day
), totals as (
  insert into code_totals as t (code_id, scans, clicks, others, last_at)
  select code_id, scans, clicks, others, $3::timestamptz + ms * interval '1 millisecond'
  from place, unnest($33::uuid[], $34::int[], $35::int[], $36::int[], $37::bigint[])
    as counted (code_id, scans, clicks, others, ms)
  on conflict (code_id) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks,
    others = t.others + excluded.others, last_at = greatest(t.last_at, excluded.last_at)
), account_hours_written as (
  insert into account_hours as t (account_id, hour, scans, clicks, bots, previews, owner)
  select account_id, $3::timestamptz + hours * interval '1 hour', scans, clicks, bots, previews, owner
  from place, unnest($38::uuid[], $39::int[], $40::int[], $41::int[], $42::int[], $43::int[], $44::int[])
    as counted (account_id, hours, scans, clicks, bots, previews, owner)
  on conflict (account_id, hour) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks,
    bots = t.bots + excluded.bots, previews = t.previews + excluded.previews, owner = t.owner + excluded.owner
), account_facets_written as (
  insert into account_facets as t (account_id, day, facet, value, visits)
  select account_id, $4::date + days, facet, value, visits
  from place, unnest($45::uuid[], $46::int[], $47::text[], $48::text[], $49::int[])
    as counted (account_id, days, facet, value, visits)
  on conflict (account_id, day, facet, value) do update set visits = t.visits + excluded.visits
), met as (
  insert into account_visitors (account_id, day, visitor, step)
  select distinct account_id, day, visitor, step
  from newcomers, lateral (values (0, true), (1, measured or exists (
    select from code_beacons b where b.code_id = newcomers.code_id and b.since <= newcomers.day))) as steps (step, taken)
  where account_id is not null and taken order by account_id, day, visitor, step
  on conflict do nothing returning account_id, day, step
), days_written as (
  insert into account_days as t (account_id, day, visitors, measured)
  select account_id, day, count(*) filter (where step = 0), count(*) filter (where step = 1)
  from met group by account_id, day order by account_id, day
  on conflict (account_id, day)
    do update set visitors = t.visitors + excluded.visitors, measured = t.measured + excluded.measured
)
select (select count(*) from mine) as rows, (select count(*) from alive) as accounts`;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Types whose page tells of what a visitor does there. */
const MEASURED = ['text', 'email'];
const RAW_COLUMNS: (keyof JournaledVisit)[] = [
  'source',
  'class',
  'outcome',
  'device',
  'os',
  'language',
  'country',
];

/** How many rows of the journal, and how many accounts, the statement found; it counts only when it found them all. */
export interface Found {
  rows: number;
  accounts: number;
}

/**
 * The statement that counts these visits, which are those of the journal's rows `ids`. A visit of a code that has no
 * owner counts as one of an address nobody made.
 */
export function countVisits(
  ids: number[],
  visits: JournaledVisit[],
  owners: ReadonlyMap<string, CodeOwner>,
): { statement: Statement; expected: Found } {
  const from = Math.floor(Math.min(...visits.map(({ at }) => at)) / HOUR_MS) * HOUR_MS;
  const firstDay = Math.floor(from / DAY_MS);
  const codes = createCodeCounts(from);
  const people = new Map<string, Person>();
  const accounts = new Set<string>();
  for (const visit of visits) {
    const { codeId, at, visitor } = visit;
    const owner = codeId === null ? undefined : owners.get(codeId);
    if (codeId === null || !owner) continue;
    accounts.add(owner.accountId);
    const hour = codes.add(codeId, visit);
    if (visitor === null) continue;
    const day = Math.floor(at / DAY_MS) - firstDay;
    const key = `${codeId} ${day} ${visitor}`;
    if (!people.has(key)) people.set(key, { codeId, day, visitor, hour, owner });
  }
  const counted = codes.finish();
  return {
    statement: {
      name: 'visits_count',
      text: COUNT_VISITS,
      values: [
        `{${ids.join()}}`,
        `{${[...accounts].join()}}`,
        new Date(from).toISOString(),
        dayOf(from),
        list(visits, ({ codeId }) => (codeId !== null && owners.has(codeId) ? codeId : null)),
        list(visits, ({ at }) => at - from),
        ...columns(visits, RAW_COLUMNS),
        ...personColumns(sorted(people)),
        ...counted.columns,
        ...countAccounts(counted.hours, owners, (from - firstDay * DAY_MS) / HOUR_MS),
      ],
    },
    expected: { rows: ids.length, accounts: accounts.size },
  };
}

interface Person {
  codeId: string;
  /** Since the first UTC day of these visits. */
  day: number;
  visitor: string;
  /** Of the first visit. */
  hour: CodeHour;
  owner: CodeOwner;
}

function personColumns(people: Person[]): string[] {
  return [
    list(people, ({ codeId }) => codeId),
    list(people, ({ day }) => day),
    list(people, ({ visitor }) => visitor),
    list(people, ({ hour }) => hour.line),
    list(people, ({ owner }) => owner.accountId),
    list(people, ({ owner }) => MEASURED.includes(owner.type)),
  ];
}
