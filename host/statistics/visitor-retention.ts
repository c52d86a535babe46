import { sql } from 'drizzle-orm';
import { DAY_MS, utcDay } from '#contract/time';
import type { Orm } from '#host/db/client';
import { deleteBefore, dropDaysBefore } from '#host/db/partitions';

/** How many days all hosts may be down before the visitors of a first report can no longer be reconciled. */
const RECONCILED_DAYS = 7;

/**
 * Drops the marks that make a person count once, a day after their UTC day has ended; the counts stay. A batch of
 * visits that arrives later finds no salt either, and counts no persons.
 */
export async function dropOldPersons(orm: Orm, now: Date): Promise<void> {
  await reconcileFirstReports(orm, now);
  const before = dayBefore(now, 1);
  await dropDaysBefore(orm, 'visitor_days', before);
  await dropDaysBefore(orm, 'account_visitors', before);
  await deleteBefore(orm, 'engagements', 'day', before);
}

/**
 * Visitors of a code on the day of its first report count as measured. A visit and that report that were written
 * concurrently did not see each other; this adds the visitor afterwards.
 */
async function reconcileFirstReports(orm: Orm, now: Date): Promise<void> {
  await orm.execute(sql`with met as (
    insert into account_visitors (account_id, day, visitor, step)
    select distinct c.account_id, v.day, v.visitor, 1
    from code_beacons b
      join codes c on c.id = b.code_id
      join visitor_days v on v.code_id = b.code_id and v.day = b.since
    where b.since >= ${dayBefore(now, RECONCILED_DAYS)}
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
