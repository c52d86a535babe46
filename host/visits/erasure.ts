import { eq, inArray } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
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
import { codeTotals, visitHours, visitorDays, visits } from '#host/db/visits.tables';

const OF_CODES = [
  ...[visits, visitHours, visitorDays, codeTotals],
  ...[codeMarks, codeEngagements, engagements, waitingEngagements, codeBeacons],
];
const OF_ACCOUNTS = [accountHours, accountFacets, accountDays, accountVisitors];

/** Removes every visit, counter and visitor mark of an account and its codes. For use in a transaction. */
export async function eraseVisits(orm: Orm, accountId: string): Promise<void> {
  const own = orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
  for (const table of OF_CODES) await orm.delete(table).where(inArray(table.codeId, own));
  await orm.delete(dayFigures).where(inArray(dayFigures.subjectId, own));
  await orm.delete(dayFigures).where(eq(dayFigures.subjectId, accountId));
  for (const table of OF_ACCOUNTS) await orm.delete(table).where(eq(table.accountId, accountId));
}
