import { HOUR_MS, utcDay } from '#contract/time';
import type { Query, Statement } from '#host/db/client';
import { accountKeyOf } from './account-key';
import { aggregateVisits, type CodeOwner, PART_VISITS } from './aggregate';
import type { JournaledVisit } from './journal';

type Value = string | number | boolean | null;
type Columns = Record<string, string>;
type Rows<Table extends Columns> = Readonly<Record<keyof Table, Value>>[];

/**
 * A named statement over tables that are passed as parameters, after `fixed` others. Each column is one array, which
 * `unnest` turns back into rows: as objects for `jsonb_to_recordset` they would have twice the size, and a count would
 * take a tenth more processor time.
 */
function overTables<const Tables extends readonly Columns[]>(
  name: string,
  fixed: number,
  tables: Tables,
  write: (...tables: { [T in keyof Tables]: string }) => string,
) {
  let parameters = fixed;
  const sources = tables.map((columns) => {
    const arrays = Object.values(columns).map((type) => `$${++parameters}::${type}[]`);
    const names = Object.keys(columns).map((column) => `"${column}"`);
    return `unnest(${arrays.join(', ')}) with ordinality as counted (${names.join(', ')}, position)`;
  });
  const text = write(...(sources as { [T in keyof Tables]: string }));
  return (values: (Value | string[])[], ...rows: { [T in keyof Tables]: Rows<Tables[T]> }): Statement => ({
    name,
    text,
    values: [
      ...values,
      ...tables.flatMap((columns, table) =>
        Object.keys(columns).map((column) => (rows[table] as Rows<Columns>).map((row) => row[column])),
      ),
    ],
  });
}

/** The primary key decides between two transactions: the later one waits for the earlier, and fails. */
const STORE_IDS = 'insert into visit_ids (id) select unnest($1::text[])';

/**
 * Takes journal rows ($1), keeps their accounts ($2) from being erased, and locks the totals of the codes ($3), so that
 * the mark of a day includes visits that another process is counting: the statements that follow see those.
 */
const CLAIM = `
with batches as (
  delete from visit_journal where id = any (
    array(select id from visit_journal where id = any ($1::bigint[]) order by id for update skip locked)
  ) returning id
), owners as materialized (
  select id from accounts where id = any ($2::uuid[]) and deleted_at is null order by id for key share
), locked as materialized (
  select code_id from code_totals
  where code_id = any ($3::uuid[]) and (select count(*) from owners) = cardinality($2::uuid[])
  order by code_id for no key update
)
select (select count(*) from batches) as rows, (select count(*) from owners) as accounts,
  (select count(*) from locked) as codes`;

/** Stores single visits and visitors; returns the positions of the visitors who are new on their day. */
const storeVisits = overTables(
  'visits_count_store',
  2,
  [
    {
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
    { codeId: 'uuid', day: 'int', visitor: 'bigint' },
  ],
  (visits, persons) => `
with visits_written as (
  insert into visits (code_id, at, source, class, outcome, device, os, language, country, account_key)
  select "codeId", $1::timestamptz + ms * interval '1 millisecond', source, class, outcome, device, os, language, country,
    "accountKey"
  from ${visits}
), persons as materialized (
  select "codeId" as code_id, $2::date + day as day, visitor, position from ${persons}
), arrived as (
  insert into visitor_days (code_id, day, visitor) select code_id, day, visitor from persons
  on conflict do nothing returning code_id, day, visitor
)
select position from arrived join persons using (code_id, day, visitor)`,
);

/** Marks how many visits a code had before each day, by its totals before these visits. */
const markDays = overTables(
  'visits_count_marks',
  1,
  [{ codeId: 'uuid', day: 'int', count: 'int', earlier: 'int' }],
  (days) => `
with days as materialized (
  select "codeId" as code_id, $1::date + day as day, count, earlier, scans + clicks as total,
    (last_at at time zone 'UTC')::date as last_day
  from ${days} left join code_totals on code_id = "codeId"
), marks_written as (
  insert into code_marks (code_id, day, before)
  select code_id, day, earlier + coalesce(
    (select m.before from code_marks m where days.last_day > days.day and m.code_id = days.code_id and m.day > days.day
      order by m.day limit 1), total, 0)
  from days where last_day is distinct from day
  on conflict do nothing
)
update code_marks m set before = m.before + (select sum(count) from days where code_id = m.code_id and day < m.day)
from (select code_id, min(day) as day from days where last_day > day group by code_id) as late
where m.code_id = late.code_id and m.day > late.day`,
);

const countForCodes = overTables(
  'visits_count_codes',
  1,
  [
    {
      codeId: 'uuid',
      hour: 'int',
      source: 'text',
      class: 'text',
      device: 'text',
      os: 'text',
      language: 'text',
      country: 'text',
      count: 'int',
      visitors: 'int',
    },
    {
      codeId: 'uuid',
      accountId: 'uuid',
      scans: 'int',
      clicks: 'int',
      others: 'int',
      lastMs: 'bigint',
    },
  ],
  (hours, totals) => `
with hours_written as (
  insert into visit_hours as t (code_id, hour, source, class, device, os, language, country, count, visitors)
  select "codeId", $1::timestamptz + hour * interval '1 hour', source, class, device, os, language, country, count, visitors
  from ${hours}
  on conflict (code_id, hour, source, class, device, os, language, country)
    do update set count = t.count + excluded.count, visitors = t.visitors + excluded.visitors
)
insert into code_totals as t (code_id, account_id, scans, clicks, others, last_at, counted_in)
select "codeId", "accountId", scans, clicks, others, $1::timestamptz + "lastMs" * interval '1 millisecond',
  pg_current_xact_id()::text::bigint / 1024
from ${totals}
on conflict (code_id) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks,
  others = t.others + excluded.others, last_at = greatest(t.last_at, excluded.last_at),
  account_id = excluded.account_id, counted_in = excluded.counted_in`,
);

const countForAccounts = overTables(
  'visits_count_accounts',
  2,
  [
    {
      accountId: 'uuid',
      hour: 'int',
      scans: 'int',
      clicks: 'int',
      bots: 'int',
      previews: 'int',
      owner: 'int',
    },
    { accountId: 'uuid', day: 'int', facet: 'text', value: 'text', visits: 'int' },
    { codeId: 'uuid', day: 'int', visitor: 'bigint', accountId: 'uuid', measured: 'bool' },
  ],
  (hours, facets, newcomers) => `
with hours_written as (
  insert into account_hours as t (account_id, hour, scans, clicks, bots, previews, owner)
  select "accountId", $1::timestamptz + hour * interval '1 hour', scans, clicks, bots, previews, owner
  from ${hours}
  on conflict (account_id, hour) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks,
    bots = t.bots + excluded.bots, previews = t.previews + excluded.previews, owner = t.owner + excluded.owner
), facets_written as (
  insert into account_facets as t (account_id, day, facet, value, visits)
  select "accountId", $2::date + day, facet, value, visits
  from ${facets}
  on conflict (account_id, day, facet, value) do update set visits = t.visits + excluded.visits
), steps_reached as (
  insert into account_visitors (account_id, day, visitor, step)
  select distinct "accountId", $2::date + day, visitor, step
  from ${newcomers}, lateral (values (0, true), (1, measured or exists (
    select from code_beacons b where b.code_id = "codeId" and b.since <= $2::date + day))) as steps (step, taken)
  where taken order by 1, 2, 3, 4
  on conflict do nothing returning account_id, day, step
)
insert into account_days as t (account_id, day, visitors, measured)
select account_id, day, count(*) filter (where step = 0), count(*) filter (where step = 1)
from steps_reached group by account_id, day order by account_id, day
on conflict (account_id, day)
  do update set visitors = t.visitors + excluded.visitors, measured = t.measured + excluded.measured`,
);

/** Only for codes with a routing; returns the ids of those, and of others ($2), that will end by their visits. */
const countRoutes = overTables(
  'visits_count_routes',
  2,
  [{ codeId: 'uuid', day: 'int', route: 'int', scans: 'int', clicks: 'int' }],
  (routes) => `
with days as materialized (
  select "codeId" as code_id, $1::date + day as day, route, scans, clicks from ${routes}
), routes_written as (
  insert into route_days as t (code_id, day, route, scans, clicks)
  select code_id, day, route, scans, clicks from days
  on conflict (code_id, day, route) do update set scans = t.scans + excluded.scans, clicks = t.clicks + excluded.clicks
)
select id from codes
where routing->'end'->>'visits' is not null and routing->'end'->>'reachedAt' is null
  and id in (select code_id from days union all select unnest($2::uuid[]))`,
);

/** Only for visits that are led to an address with campaign parameters. */
const countCampaigns = overTables(
  'visits_count_campaigns',
  1,
  [
    {
      codeId: 'uuid',
      day: 'int',
      source: 'text',
      medium: 'text',
      campaign: 'text',
      accountId: 'uuid',
      visits: 'int',
    },
  ],
  (campaigns) => `
insert into campaign_days as t (code_id, day, source, medium, campaign, account_id, visits)
select "codeId", $1::date + day, source, medium, campaign, "accountId", visits from ${campaigns}
on conflict (code_id, day, source, medium, campaign) do update set visits = t.visits + excluded.visits`,
);

/** Another process has taken some of the rows, or an account was erased meanwhile: nothing may be counted. */
export class NotClaimed extends Error {}

interface Uncounted {
  /** Ids of the journal's rows. */
  rows: number[];
  visits: JournaledVisit[];
  /** Visits of codes without an owner lose their code. */
  owners: ReadonlyMap<string, CodeOwner>;
  /** The ids of visits that may be recorded twice: they are stored, and counting fails if one already is. */
  visitIds?: string[];
}

/**
 * Moves rows of the journal into the counters. All in one transaction, which must be rolled back if it fails; throws
 * `NotClaimed` before it has written anything. Rows are sorted, so that concurrent transactions lock them in the same
 * order.
 *
 * Hours and days are numbers since the first hour and the first UTC day of these visits. A person counts in the hour of
 * the first visit of the day.
 *
 * Returns the ids of codes that were visited and will end by their visits.
 */
export async function countVisits(
  query: Query,
  { rows, visits, owners, visitIds = [] }: Uncounted,
): Promise<string[]> {
  const firstAt = visits.length > 0 ? Math.min(...visits.map(({ at }) => at)) : 0;
  const firstHour = Math.floor(firstAt / HOUR_MS) * HOUR_MS;
  const [from, day] = [new Date(firstHour).toISOString(), utcDay(firstHour)];
  const { persons, hours, days, totals, routes, campaigns, ending, accountHours, accountFacets } =
    await aggregateVisits(visits, owners, firstHour);
  if (visitIds.length > 0)
    await query({ name: 'visits_count_once', text: STORE_IDS, values: [visitIds.toSorted()] });
  const accounts = [...new Set([...owners.values()].map(({ accountId }) => accountId))];
  const codes = [...new Set(days.map(({ codeId }) => codeId))];
  const [claimed] = await query<{ rows: number; accounts: number }>({
    name: 'visits_count_claim',
    text: CLAIM,
    values: [rows, accounts, codes],
  });
  if (claimed?.rows !== rows.length || claimed.accounts !== accounts.length) throw new NotClaimed();
  const newcomers: typeof persons = [];
  for (let start = 0; start < visits.length; start += PART_VISITS) {
    const part = visits.slice(start, start + PART_VISITS).map((visit) => rowOf(visit, owners, firstHour));
    // There are never more persons than visits.
    const partPersons = persons.slice(start, start + PART_VISITS);
    const arrived = await query<{ position: number }>(storeVisits([from, day], part, partPersons));
    newcomers.push(...arrived.flatMap(({ position }) => partPersons[position - 1] ?? []));
  }
  if (totals.length === 0) return [];
  for (const { hour } of newcomers) hour.visitors += 1;
  if (days.length > 0) await query(markDays([day], days));
  await query(countForCodes([from], hours, totals));
  const isRouted = routes.length > 0 || ending.length > 0;
  const ended = isRouted ? await query<{ id: string }>(countRoutes([day, ending], routes)) : [];
  if (campaigns.length > 0) await query(countCampaigns([day], campaigns));
  await query(countForAccounts([from, day], accountHours, accountFacets, newcomers));
  return ended.map(({ id }) => id);
}

function rowOf(visit: JournaledVisit, owners: ReadonlyMap<string, CodeOwner>, firstHour: number) {
  const { codeId, at, source, class: kind, outcome, device, os, language, country } = visit;
  const owner = codeId === null ? undefined : owners.get(codeId);
  return {
    codeId: owner ? codeId : null,
    ms: at - firstHour,
    source,
    class: kind,
    outcome,
    device,
    os,
    language,
    country,
    accountKey: owner ? accountKeyOf(owner.accountId) : null,
  };
}

const FIND_COUNTED = 'select id from visit_ids where id = any ($1::text[])';

/**
 * Of visits that may have been recorded twice, those that are not counted yet, each once. The gateway resends a visit if
 * its host died before it responded, and that host may have recorded it anyway: whichever is counted first stores the id.
 */
export async function findUncounted(query: Query, visits: JournaledVisit[]): Promise<JournaledVisit[]> {
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
