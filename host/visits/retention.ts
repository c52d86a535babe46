import { and, eq, gte, inArray, lt, ne } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { dropDaysBefore } from '#host/db/partitions';
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
  visits,
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

/** Drops single visits when their UTC day has been over for 90 days, counters stay; and the marks of writers that are gone. */
export async function dropOldVisits(orm: Orm, now: Date): Promise<void> {
  await dropDaysBefore(orm, 'visits', dayOf(now.getTime() - RAW_VISITS_MS));
  await orm.delete(visitLanes).where(lt(visitLanes.at, new Date(now.getTime() - LANE_MS)));
}

const OF_CODES = [
  ...[visitHours, visitorDays, codeTotals],
  ...[codeMarks, codeEngagements, engagements, waitingEngagements, codeBeacons],
];
const OF_ACCOUNTS = [accountHours, accountFacets, accountDays, accountVisitors];

const STEP_MS = 6 * 3_600_000;

/**
 * Removes every counter and visitor mark of an account and its codes, and has its single visits removed soon. For use
 * in a transaction that holds the account.
 */
export async function eraseVisits(orm: Orm, accountId: string, now: Date): Promise<void> {
  for (const table of OF_CODES) await orm.delete(table).where(inArray(table.codeId, codesOf(orm, accountId)));
  await orm.delete(dayFigures).where(inArray(dayFigures.subjectId, codesOf(orm, accountId)));
  await orm.delete(dayFigures).where(eq(dayFigures.subjectId, accountId));
  for (const table of OF_ACCOUNTS) await orm.delete(table).where(eq(table.accountId, accountId));
  await orm.insert(visitErasures).values({ formerAccountId: accountId, at: now }).onConflictDoNothing();
}

/**
 * Removes the single visits of erased accounts, those of a few hours at a time: nothing leads from a code to its visits but
 * a look through all, and that would hold up whoever counts.
 */
export async function eraseSingleVisits(orm: Orm): Promise<void> {
  for (const { formerAccountId, at } of await orm.select().from(visitErasures)) {
    const own = inArray(visits.codeId, codesOf(orm, formerAccountId));
    const oldest = at.getTime() - RAW_VISITS_MS - STEP_MS;
    await orm.delete(visits).where(and(gte(visits.at, at), own));
    for (let until = at.getTime(); until > oldest; until -= STEP_MS) {
      const window = and(gte(visits.at, new Date(until - STEP_MS)), lt(visits.at, new Date(until)));
      await orm.delete(visits).where(and(window, own));
    }
    await orm.delete(visitErasures).where(eq(visitErasures.formerAccountId, formerAccountId));
  }
}

function codesOf(orm: Orm, accountId: string) {
  return orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
}
