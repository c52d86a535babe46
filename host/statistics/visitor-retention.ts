import { sql } from 'drizzle-orm';
import { DAY_MS, utcDay } from '#contract/utc-days';
import type { Orm } from '#host/db/client';
import { deleteBefore, dropDaysBefore } from '#host/db/partitions';

/** Days a host may have been away before the first visitors of a beacon are settled. */
const SETTLED_DAYS = 7;

/**
 * Drops the marks that make a person count once, when the UTC day they belong to has been over for a day; their counts
 * stay. A batch of visits that comes later than that finds no salt either, and counts no persons.
 */
export async function dropOldPersons(orm: Orm, now: Date): Promise<void> {
  await settleFirstReports(orm, now);
  const before = dayBefore(now, 1);
  await dropDaysBefore(orm, 'visitor_days', before);
  await dropDaysBefore(orm, 'account_visitors', before);
  await deleteBefore(orm, 'engagements', 'day', before);
}

/**
 * Visitors of the day of a code's first report are measured with it. A visit that was being written at the very moment
 * of that report and the report itself did not see each other; here its person is taken along.
 */
async function settleFirstReports(orm: Orm, now: Date): Promise<void> {
  await orm.execute(sql`with met as (
    insert into account_visitors (account_id, day, visitor, step)
    select distinct c.account_id, v.day, v.visitor, 1
    from code_beacons b
      join codes c on c.id = b.code_id
      join visitor_days v on v.code_id = b.code_id and v.day = b.since
    where b.since >= ${dayBefore(now, SETTLED_DAYS)}
    order by 1, 2, 3
    on conflict do nothing returning account_id, day
  )
  insert into account_days as t (account_id, day, measured)
  select account_id, day, count(*) from met group by account_id, day order by account_id, day
  on conflict (account_id, day) do update set measured = t.measured + excluded.measured`);
}

function dayBefore(now: Date, days: number): string {
  return utcDay(now.getTime() - days * DAY_MS);
}
