import { and, lt, ne } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { visitLanes, visitSalts, visits } from '#host/db/visits.tables';
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

/** Drops single visits after 90 days, counters stay; and the marks of writers that are gone. */
export async function dropOldVisits(orm: Orm, now: Date): Promise<void> {
  await orm.delete(visits).where(lt(visits.at, new Date(now.getTime() - RAW_VISITS_MS)));
  await orm.delete(visitLanes).where(lt(visitLanes.at, new Date(now.getTime() - LANE_MS)));
}
