import { eq, inArray } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { codeTotals, visitHours, visitorDays, visits } from '#host/db/visits.tables';

/** Removes every visit, counter and visitor mark of an account's codes. For use in a transaction. */
export async function eraseVisits(orm: Orm, accountId: string): Promise<void> {
  const own = orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
  await orm.delete(visits).where(inArray(visits.codeId, own));
  await orm.delete(visitHours).where(inArray(visitHours.codeId, own));
  await orm.delete(visitorDays).where(inArray(visitorDays.codeId, own));
  await orm.delete(codeTotals).where(inArray(codeTotals.codeId, own));
}
