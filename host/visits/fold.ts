import { type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { dropEmptyBefore } from '#host/db/partitions';
import { readRows } from '#host/db/rows';

const DAY_MS = 24 * 3_600_000;
/** Rows that one statement moves: few enough for visits to wait no longer than for a page. */
const AT_ONCE = 2_000;
const FOLDED = ['visit_hours', 'account_hours', 'account_facets'] as const;

/**
 * Folds the counters of UTC days that are over into one object a day. Each piece is one statement, so that a row is
 * either still there or folded; several nodes may fold at once. Leaves the rest for later after so many pieces.
 */
export async function foldOldDays(orm: Orm, now: Date, pieces = Number.POSITIVE_INFINITY): Promise<void> {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  for (const statement of [foldCodes(today), foldAccountHours(today), foldAccountFacets(today)]) {
    let folded = AT_ONCE;
    for (let piece = 0; piece < pieces && folded > 0; piece += 1) {
      const [row] = await readRows<{ folded: number }>(orm, statement);
      folded = row?.folded ?? 0;
    }
  }
  for (const table of FOLDED) await dropEmptyBefore(orm, table, today.toISOString().slice(0, 10));
}

function foldCodes(today: Date): SQL {
  return sql`with old as materialized (
    delete from visit_hours where ctid = any (array(
      select ctid from visit_hours where hour < ${today} order by code_id, hour limit ${AT_ONCE}
    )) and hour < ${today}
    returning *, (hour at time zone 'UTC')::date as day
  ), hours as (
    select code_id, day, jsonb_object_agg(extract(hour from hour at time zone 'UTC')::text, counts) as hours,
      sum(visitors) as visitors
    from (
      select code_id, day, hour, jsonb_build_array(
        coalesce(sum(count) filter (where class = 'human' and source = 'scan'), 0),
        coalesce(sum(count) filter (where class = 'human' and source = 'click'), 0),
        coalesce(sum(count) filter (where class = 'bot'), 0),
        coalesce(sum(count) filter (where class = 'preview'), 0),
        coalesce(sum(count) filter (where class = 'owner'), 0)
      ) as counts, sum(visitors) as visitors
      from old group by code_id, day, hour
    ) as hourly group by code_id, day
  ), facets as (
    select code_id, day, jsonb_object_agg(facet, visits) as facets
    from (
      select code_id, day, facet, jsonb_object_agg(value, visits) as visits
      from (
        select code_id, day, facet, value, sum(count) as visits
        from old, lateral (
          values ('country', country), ('device', device), ('language', language), ('os', os)
        ) as split (facet, value)
        where class = 'human' group by 1, 2, 3, 4
      ) as by_value group by 1, 2, 3
    ) as by_facet group by 1, 2
  ), written as (
    insert into day_figures (subject_id, day, figures)
    select code_id, day, jsonb_strip_nulls(
      jsonb_build_object('hours', hours, 'facets', facets, 'visitors', visitors))::text
    from hours left join facets using (code_id, day) order by 1, 2
  )
  select count(*)::int as folded from old`;
}

function foldAccountHours(today: Date): SQL {
  return sql`with old as materialized (
    delete from account_hours where ctid = any (array(
      select ctid from account_hours where hour < ${today} order by account_id, hour limit ${AT_ONCE}
    )) and hour < ${today}
    returning *, (hour at time zone 'UTC')::date as day
  ), written as (
    insert into day_figures (subject_id, day, figures)
    select account_id, day, jsonb_build_object('hours', jsonb_object_agg(
      extract(hour from hour at time zone 'UTC')::text, jsonb_build_array(scans, clicks, bots, previews, owner)))::text
    from old group by account_id, day order by 1, 2
  )
  select count(*)::int as folded from old`;
}

function foldAccountFacets(today: Date): SQL {
  return sql`with old as materialized (
    delete from account_facets where ctid = any (array(
      select ctid from account_facets where day < ${today}::date order by account_id, day limit ${AT_ONCE}
    )) and day < ${today}::date
    returning *
  ), written as (
    insert into day_figures (subject_id, day, figures)
    select account_id, day, jsonb_build_object('facets', jsonb_object_agg(facet, visits))::text
    from (
      select account_id, day, facet, jsonb_object_agg(value, visits) as visits from old group by 1, 2, 3
    ) as by_facet group by 1, 2 order by 1, 2
  )
  select count(*)::int as folded from old`;
}
