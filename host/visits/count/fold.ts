import { randomUUID } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import { utcDay } from '#contract/time';
import type { Database } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { describePartitions, dropEmptyBefore, isGone } from '#host/db/partitions';

/** A table of counters, and the SQL that folds its rows into days of their code or account. */
interface Counter {
  table: 'visit_hours' | 'account_hours' | 'account_facets';
  subject: SQL;
  time: SQL;
  /** The columns that `fold` needs. */
  columns: SQL;
  /** The CTEs that fold the deleted rows, which are called `old`. */
  fold: SQL;
}

const MAX_ROWS = 10_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Folds the counters of past UTC days into one object a day, until there are none left or the host stops. Each piece is
 * a single statement, so that a row is either still there or folded. Several hosts may fold concurrently: each starts at
 * a random code and skips rows that another one has locked.
 */
export async function foldOldDays(
  { orm }: Pick<Database, 'orm'>,
  now: Date,
  stopping?: AbortSignal,
): Promise<void> {
  const day = utcDay(now);

  /** Folds the rows of a partition from a code or account on. */
  async function foldFrom(counter: Counter, place: string, begin: string): Promise<void> {
    let next: string | null = begin;
    while (next !== null && !stopping?.aborted) {
      const [folded]: { last: string | null }[] = await readRows(
        orm,
        foldChunk(counter, { place, next, day }),
      );
      next = folded?.last ?? null;
    }
  }

  for (const counter of COUNTERS) {
    for (const { name, end } of await describePartitions(orm, counter.table)) {
      if (end !== null && end > day) continue;
      try {
        for (const begin of [randomUUID(), FIRST_ID]) await foldFrom(counter, name, begin);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
    await dropEmptyBefore(orm, counter.table, day);
  }
}

function foldChunk(
  { subject, time, columns, fold }: Counter,
  { place, next, day }: { place: string; next: string; day: string },
): SQL {
  const name = sql.identifier(place);
  return sql`with old as materialized (
    delete from ${name} where ctid = any (array(
      select ctid from ${name} where ${subject} >= ${next} and ${time} < ${`${day} 00:00:00+00`}
      order by ${subject}, ${time} limit ${MAX_ROWS} for update skip locked
    ))
    returning ${columns}
  ), ${fold}
  select (select ${subject} from old order by 1 desc limit 1) as last`;
}

/** Without the spaces that PostgreSQL writes: a fifth of what statistics of a year read. No name or value has such a pair. */
function compact(json: SQL): SQL {
  return sql`replace(replace((${json})::text, '": ', '":'), ', ', ',')`;
}

const CODES = sql`hours as (
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
    select code_id, day, ${compact(sql`jsonb_strip_nulls(
      jsonb_build_object('hours', hours, 'facets', facets, 'visitors', visitors))`)}
    from hours left join facets using (code_id, day) order by 1, 2
  )`;

const ACCOUNT_HOURS = sql`written as (
    insert into day_figures (subject_id, day, figures)
    select account_id, day, ${compact(sql`jsonb_build_object('hours', jsonb_object_agg(
      extract(hour from hour at time zone 'UTC')::text, jsonb_build_array(scans, clicks, bots, previews, owner)))`)}
    from old group by account_id, day order by 1, 2
  )`;

const ACCOUNT_FACETS = sql`written as (
    insert into day_figures (subject_id, day, figures)
    select account_id, day, ${compact(sql`jsonb_build_object('facets', jsonb_object_agg(facet, visits))`)}
    from (
      select account_id, day, facet, jsonb_object_agg(value, visits) as visits from old group by 1, 2, 3
    ) as by_facet group by 1, 2 order by 1, 2
  )`;

const WITH_DAY = sql`*, (hour at time zone 'UTC')::date as day`;

const COUNTERS: Counter[] = [
  { table: 'visit_hours', subject: sql`code_id`, time: sql`hour`, columns: WITH_DAY, fold: CODES },
  {
    table: 'account_hours',
    subject: sql`account_id`,
    time: sql`hour`,
    columns: WITH_DAY,
    fold: ACCOUNT_HOURS,
  },
  {
    table: 'account_facets',
    subject: sql`account_id`,
    time: sql`day`,
    columns: sql`*`,
    fold: ACCOUNT_FACETS,
  },
];
