import { HOUR_MS, utcDay } from '#contract/time';
import type { Database, Statement } from '#host/db/client';
import { accountKeyOf } from './account-key';
import { aggregateVisits, type CodeOwner } from './aggregate';
import type { JournaledVisit } from './journal';

/**
 * The parameters of the statement, as tables with named columns. Each column is passed as one array, which `unnest`
 * turns back into rows: as objects for `jsonb_to_recordset` they would have twice the size, and a count would take a
 * tenth more processor time, in the embedded database and on a server.
 */
const PARTS = {
  visits: {
    codeId: 'uuid',
    ms: 'bigint',
    source: 'text',
    class: 'text',
    outcome: 'text',
    device: 'text',
    os: 'text',
    language: 'text',
    country: 'text',
    accountKey: 'int',
  },
  persons: {
    codeId: 'uuid',
    day: 'int',
    visitor: 'bigint',
    line: 'int',
    accountId: 'uuid',
    measured: 'bool',
  },
  hours: {
    codeId: 'uuid',
    hour: 'int',
    source: 'text',
    class: 'text',
    device: 'text',
    os: 'text',
    language: 'text',
    country: 'text',
    count: 'int',
    line: 'int',
  },
  days: { codeId: 'uuid', day: 'int', count: 'int', earlier: 'int' },
  totals: {
    codeId: 'uuid',
    accountId: 'uuid',
    scans: 'int',
    clicks: 'int',
    others: 'int',
    lastMs: 'bigint',
  },
  accountHours: {
    accountId: 'uuid',
    hour: 'int',
    scans: 'int',
    clicks: 'int',
    bots: 'int',
    previews: 'int',
    owner: 'int',
  },
  accountFacets: { accountId: 'uuid', day: 'int', facet: 'text', value: 'text', visits: 'int' },
} as const;

type Parts = {
  [Part in keyof typeof PARTS]: Record<keyof (typeof PARTS)[Part], string | number | boolean | null>[];
};

const COLUMNS = Object.entries(PARTS).flatMap(([part, columns]) =>
  Object.entries(columns).map(([column, type]) => ({ part, column, type })),
);
/** The number of parameters before those of the parts. */
const FIXED_PARAMETERS = 4;

/** A part as a table of the statement. */
function unnestPart(part: keyof Parts): string {
  const partColumns = COLUMNS.map((column, position) => ({
    ...column,
    at: FIXED_PARAMETERS + 1 + position,
  })).filter((column) => column.part === part);
  const arrays = partColumns.map(({ type, at }) => `$${at}::${type}[]`);
  return `unnest(${arrays.join(', ')}) as counted (${partColumns.map(({ column }) => `"${column}"`).join(', ')})`;
}

/** The columns of the parts, in the order of their parameters. */
function columnsOf(parts: Parts) {
  return COLUMNS.map(({ part, column }) => {
    const rows: Record<string, string | number | boolean | null>[] = parts[part as keyof Parts];
    return rows.map((row) => row[column] ?? null);
  });
}

/**
 * One statement, and so one transaction, moves rows of the journal into the counters. If another process has locked some
 * of the rows, or an account was erased meanwhile, nothing happens, and the result says so. Rows are sorted, so that
 * concurrent statements lock them in the same order.
 *
 * The totals of codes are locked before anything is written, because the mark of a day must include visits that another
 * process is counting. If the last day of a code changed meanwhile, nothing happens either: this statement cannot see its
 * new marks.
 *
 * Hours and days are numbers since the first hour ($3) and the first UTC day ($4) of these visits. A person counts in
 * the hour of the first visit of the day: `arrived` knows who is new, `line` leads from there to the row of that hour.
 */
const countVisitsAnd = (more: string) => `
with batches as materialized (
  select id from visit_journal where id = any ($1::bigint[]) order by id for update skip locked
), owners as materialized (
  select id from accounts where id = any ($2::uuid[]) and deleted_at is null order by id for key share
), known as materialized (
  select "codeId" as code_id, $4::date + day as day, count, earlier, total, last_day, seen_day
  from ${unnestPart('days')}
    left join lateral (
      select scans + clicks as total, (last_at at time zone 'UTC')::date as last_day
      from code_totals where code_totals.code_id = counted."codeId" offset 0 for no key update
    ) as locked on true
    left join lateral (
      select (last_at at time zone 'UTC')::date as seen_day
      from code_totals where code_totals.code_id = counted."codeId" offset 0
    ) as seen on true
  where (select count(*) from owners) = cardinality($2::uuid[])
), complete as materialized (
  select pg_current_xact_id()::text::bigint / 1024 as counted_in
  from batches having count(*) = cardinality($1::bigint[])
    and (select count(*) from owners) = cardinality($2::uuid[])
    and not exists (select from known where last_day is distinct from seen_day)
), batches_removed as (
  delete from visit_journal using complete where id = any ($1::bigint[])
), visits_written as (
  insert into visits (code_id, at, source, class, outcome, device, os, language, country, account_key)
  select "codeId", $3::timestamptz + ms * interval '1 millisecond', source, class, outcome, device, os, language, country,
    "accountKey"
  from complete, ${unnestPart('visits')}
), persons as materialized (
  select "codeId" as code_id, $4::date + day as day, visitor, line, "accountId" as account_id, measured
  from complete, ${unnestPart('persons')}
), arrived as (
  insert into visitor_days (code_id, day, visitor) select code_id, day, visitor from persons
  on conflict do nothing returning code_id, day, visitor
), newcomers as materialized (
  select code_id, day, visitor, line, account_id, measured from arrived join persons using (code_id, day, visitor)
), hours_written as (
  insert into visit_hours as t (code_id, hour, source, class, device, os, language, country, count, visitors)
  select "codeId", $3::timestamptz + hour * interval '1 hour', source, class, device, os, language, country, count,
    coalesce(new.visitors, 0)
  from complete cross join ${unnestPart('hours')}
    left join (select line, count(*) as visitors from newcomers group by line) as new using (line)
  order by line
  on conflict (code_id, hour, source, class, device, os, language, country)
    do update set count = t.count + excluded.count, visitors = t.visitors + excluded.visitors
), days as materialized (
  select code_id, day, count, earlier, total, last_day from complete, known
), marks_written as (
  insert into code_marks (code_id, day, before)
  select code_id, day, earlier + coalesce(
    (select m.before from code_marks m where days.last_day > days.day and m.code_id = days.code_id and m.day > days.day
      order by m.day limit 1), total, 0)
  from days where last_day is distinct from day
  on conflict do nothing
), later_marks_written as (
  update code_marks m set before = m.before + (select sum(count) from days where code_id = m.code_id and day < m.day)
  from (select code_id, min(day) as day from days where last_day > day group by code_id) as late
  where m.code_id = late.code_id and m.day > late.day
), totals_written as (
  insert into code_totals as t (code_id, account_id, scans, clicks, others, last_at, counted_in)
  select "codeId", "accountId", scans, clicks, others, $3::timestamptz + "lastMs" * interval '1 millisecond', counted_in
  from complete, ${unnestPart('totals')}
  on conflict (code_id) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks,
    others = t.others + excluded.others, last_at = greatest(t.last_at, excluded.last_at),
    account_id = excluded.account_id, counted_in = excluded.counted_in
), account_hours_written as (
  insert into account_hours as t (account_id, hour, scans, clicks, bots, previews, owner)
  select "accountId", $3::timestamptz + hour * interval '1 hour', scans, clicks, bots, previews, owner
  from complete, ${unnestPart('accountHours')}
  on conflict (account_id, hour) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks,
    bots = t.bots + excluded.bots, previews = t.previews + excluded.previews, owner = t.owner + excluded.owner
), account_facets_written as (
  insert into account_facets as t (account_id, day, facet, value, visits)
  select "accountId", $4::date + day, facet, value, visits
  from complete, ${unnestPart('accountFacets')}
  on conflict (account_id, day, facet, value) do update set visits = t.visits + excluded.visits
), steps_reached as (
  insert into account_visitors (account_id, day, visitor, step)
  select distinct account_id, day, visitor, step
  from newcomers, lateral (values (0, true), (1, measured or exists (
    select from code_beacons b where b.code_id = newcomers.code_id and b.since <= newcomers.day))) as steps (step, taken)
  where account_id is not null and taken order by account_id, day, visitor, step
  on conflict do nothing returning account_id, day, step
), account_days_written as (
  insert into account_days as t (account_id, day, visitors, measured)
  select account_id, day, count(*) filter (where step = 0), count(*) filter (where step = 1)
  from steps_reached group by account_id, day order by account_id, day
  on conflict (account_id, day)
    do update set visitors = t.visitors + excluded.visitors, measured = t.measured + excluded.measured
)${more}
select (select count(*) from complete, batches) as rows, (select count(*) from owners) as accounts`;

const COUNT_VISITS = countVisitsAnd('');
/** The primary key decides between two transactions: the later one waits for the earlier, and fails. */
const COUNT_VISITS_ONCE = countVisitsAnd(`, ids_written as (
  insert into visit_ids (id) select unnest($${FIXED_PARAMETERS + COLUMNS.length + 1}::text[]) from complete
)`);

/** How many journal rows the statement counted, which is all or none, and how many accounts it found. */
export interface CountResult {
  rows: number;
  accounts: number;
}

/**
 * The statement that counts the visits of the journal rows `ids`. Visits of codes without an owner lose their code. It
 * stores `visitIds`, the ids of those that may be recorded twice, and fails if one is already stored.
 */
export function countVisits(
  ids: number[],
  visits: JournaledVisit[],
  owners: ReadonlyMap<string, CodeOwner>,
  visitIds: string[] = [],
): { statement: Statement; expected: CountResult } {
  const firstAt = visits.length > 0 ? Math.min(...visits.map(({ at }) => at)) : 0;
  const from = Math.floor(firstAt / HOUR_MS) * HOUR_MS;
  const accounts = new Set([...owners.values()].map(({ accountId }) => accountId));
  const visitRows = visits.map(
    ({ codeId, at, source, class: kind, outcome, device, os, language, country }) => {
      const owner = codeId === null ? undefined : owners.get(codeId);
      return {
        codeId: owner ? codeId : null,
        ms: at - from,
        source,
        class: kind,
        outcome,
        device,
        os,
        language,
        country,
        accountKey: owner ? accountKeyOf(owner.accountId) : null,
      };
    },
  );
  return {
    statement: {
      name: visitIds.length > 0 ? 'visits_count_once' : 'visits_count',
      text: visitIds.length > 0 ? COUNT_VISITS_ONCE : COUNT_VISITS,
      values: [
        ids,
        [...accounts],
        new Date(from).toISOString(),
        utcDay(from),
        ...columnsOf({ visits: visitRows, ...aggregateVisits(visits, owners, from) }),
        ...(visitIds.length > 0 ? [visitIds.toSorted()] : []),
      ],
    },
    expected: { rows: ids.length, accounts: accounts.size },
  };
}

const FIND_COUNTED = 'select id from visit_ids where id = any ($1::text[])';

/**
 * Of visits that may have been recorded twice, those that are not counted yet, each once. The gateway resends a visit if
 * its host died before it responded, and that host may have recorded it anyway: whichever is counted first stores the id.
 */
export async function findUncounted(
  { query }: Pick<Database, 'query'>,
  visits: JournaledVisit[],
): Promise<JournaledVisit[]> {
  const ids = visits.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return visits;
  const rows = await query<{ id: string }>({
    name: 'visits_find_counted',
    text: FIND_COUNTED,
    values: [ids],
  });
  const counted = new Set(rows.map(({ id }) => id));
  return visits.filter(({ id }) => {
    if (id === undefined) return true;
    const isCounted = counted.has(id);
    counted.add(id);
    return !isCounted;
  });
}
