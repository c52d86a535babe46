import { and, eq, inArray, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { dropDaysBefore, indexPlace, isGone, listPlaces } from '#host/db/partitions';
import { readRows } from '#host/db/rows';
import {
  accountDays,
  accountFacets,
  accountHours,
  accountVisitors,
  codeBeacons,
  codeEngagements,
  codeMarks,
  dayFigures,
  engagements,
  waitingEngagements,
} from '#host/db/statistics.tables';
import {
  codeTotals,
  visitErasures,
  visitHours,
  visitLanes,
  visitorDays,
  visitSalts,
} from '#host/db/visits.tables';
import { dayOf } from './visitors';

const DAY_MS = 24 * 3_600_000;
/** How long single visits are kept. */
export const RAW_VISITS_MS = 90 * DAY_MS;
/** Far longer than a batch can wait in the spool of a host that is stopped. */
const LANE_MS = 365 * DAY_MS;

/**
 * Destroys the salts of past UTC days: from then on nobody can tell who the visitors of those days were. What is left
 * of a day says that there was a salt, so that no other one is made for it: with that, a person of a late batch would
 * count a second time.
 */
export async function destroyOldSalts(orm: Orm, now: Date): Promise<void> {
  await orm
    .update(visitSalts)
    .set({ salt: '' })
    .where(and(lt(visitSalts.day, dayOf(now.getTime())), ne(visitSalts.salt, '')));
}

/**
 * Drops single visits, a UTC day at a time and before any of them is older than is promised; counters stay. And the
 * marks of writers that are gone.
 */
export async function dropOldVisits(orm: Orm, now: Date): Promise<void> {
  await dropDaysBefore(orm, 'visits', dayOf(now.getTime() - RAW_VISITS_MS + DAY_MS));
  await orm.delete(visitLanes).where(lt(visitLanes.at, new Date(now.getTime() - LANE_MS)));
}

const OF_CODES = [
  ...[visitHours, visitorDays, codeTotals],
  ...[codeMarks, codeEngagements, engagements, waitingEngagements, codeBeacons],
];
const OF_ACCOUNTS = [accountHours, accountFacets, accountDays, accountVisitors];

/** So many pages of eight kilobytes take some hundredths of a second. */
const PAGES_AT_ONCE = 500;
const ROWS_AT_ONCE = 5_000;
/** What a host that died was at is taken up by another one after this time. */
const CLAIMED = sql.raw("now() + interval '10 minutes'");

/**
 * Removes every counter and visitor mark of an account and its codes, and has its single visits removed soon. For use
 * in a transaction that holds the account.
 */
export async function eraseVisits(orm: Orm, accountId: string, now: Date): Promise<void> {
  // By index, whatever the planner thinks of disks: a look through a whole table takes longer with everybody's visits.
  await orm.execute(sql`set local enable_seqscan = off`);
  for (const table of OF_CODES) await orm.delete(table).where(inArray(table.codeId, codesOf(orm, accountId)));
  await orm.delete(dayFigures).where(inArray(dayFigures.subjectId, codesOf(orm, accountId)));
  await orm.delete(dayFigures).where(eq(dayFigures.subjectId, accountId));
  for (const table of OF_ACCOUNTS) await orm.delete(table).where(eq(table.accountId, accountId));
  await orm.insert(visitErasures).values({ formerAccountId: accountId, at: now }).onConflictDoNothing();
}

/**
 * Gives days that are over an index by code: scans do not pay for it, and an account is erased without a look at the
 * visits of all others.
 */
export async function indexOldVisits(orm: Orm, now: Date): Promise<void> {
  for (const { name, end, isIndexed } of await listPlaces(orm, 'visits')) {
    if (end !== null && end <= dayOf(now.getTime()) && !isIndexed) await indexPlace(orm, name, 'code_id');
  }
}

/**
 * Removes the single visits of all erased accounts in one pass through all days: by their index, and some pages at a time
 * where there is none. No statement holds up whoever counts. One host is at it; whoever is erased meanwhile has to wait
 * for the next pass.
 */
export async function eraseSingleVisits(orm: Orm): Promise<void> {
  const accountIds = await claimErasures(orm);
  if (accountIds.length === 0) return;
  const erased = sql`any (${sql.param(accountIds)}::uuid[])`;
  for (const place of await listPlaces(orm, 'visits')) {
    try {
      if (place.isIndexed) await eraseByIndex(orm, place.name, erased);
      else await eraseByPages(orm, place, erased);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    await orm.execute(
      sql`update visit_erasures set claimed_until = ${CLAIMED} where former_account_id = ${erased}`,
    );
  }
  await orm.execute(sql`delete from visit_erasures where former_account_id = ${erased}`);
}

/** The accounts that are due; none while another host is at those that were due before. */
async function claimErasures(orm: Orm): Promise<string[]> {
  const rows = await readRows<{ id: string }>(
    orm,
    sql`update visit_erasures set claimed_until = ${CLAIMED} where former_account_id in (
      select former_account_id from visit_erasures
      where not exists (select from visit_erasures where claimed_until > now()) for update skip locked
    ) returning former_account_id as id`,
  );
  return rows.map(({ id }) => id);
}

async function eraseByPages(
  orm: Orm,
  { name, pages }: { name: string; pages: number },
  erased: SQL,
): Promise<void> {
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) {
    await orm.execute(sql`delete from ${sql.identifier(name)}
      where ctid >= ${`(${page},0)`}::tid and ctid < ${`(${page + PAGES_AT_ONCE},0)`}::tid
        and code_id in (select id from codes where account_id = ${erased})`);
  }
}

async function eraseByIndex(orm: Orm, name: string, erased: SQL): Promise<void> {
  const place = sql.identifier(name);
  let removed = ROWS_AT_ONCE;
  while (removed === ROWS_AT_ONCE) {
    const [row] = await readRows<{ removed: number }>(
      orm,
      sql`with gone as (
        delete from ${place} where ctid = any (array(
          select v.ctid from codes c, lateral (select ctid from ${place} where code_id = c.id offset 0) v
          where c.account_id = ${erased} limit ${ROWS_AT_ONCE}
        )) returning 1
      ) select count(*)::int as removed from gone`,
    );
    removed = row?.removed ?? 0;
  }
}

function codesOf(orm: Orm, accountId: string) {
  return orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
}
