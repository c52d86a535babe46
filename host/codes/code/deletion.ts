import { and, eq, gt, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import { DAY_MS } from '#contract/time';
import { dropUnusedLogos, listEarlierLogos } from '#host/codes/logos/store';
import { resumeRouting } from '#host/codes/routing/schedule';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codeChanges, codes } from '#host/db/codes.tables';
import { announceChanges, countListed, EMPTIED, lockOwner } from './store';
import { dropUnusedTags } from './tags';
import { recordEvents } from './webhook-events';

/** How long an operator can bring a deleted code back. */
const RESTORABLE_MS = 30 * DAY_MS;
const BATCH = 100;

/** When the account deleted this code, and when it is emptied; null if the account still has it or never had it. */
export async function findDeletion(
  orm: Orm,
  accountId: string,
  id: string,
): Promise<{ deletedAt: Date; eraseAt: Date | null } | null> {
  const [code] = await orm
    .select({ deletedAt: codes.deletedAt, eraseAt: codes.eraseAt })
    .from(codes)
    .where(and(eq(codes.id, id), eq(codes.accountId, accountId)));
  return code?.deletedAt ? { deletedAt: code.deletedAt, eraseAt: code.eraseAt } : null;
}

/**
 * Deletes a code for its owner and its visitors; it is emptied 30 days later. The row stays, so that the address is never
 * reused. False if the account has no such code to delete.
 */
export async function deleteCode(orm: Orm, accountId: string, id: string, at: Date): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    await lockOwner(transaction, accountId);
    const [deleted] = await transaction
      .update(codes)
      .set({ deletedAt: at, eraseAt: new Date(at.getTime() + RESTORABLE_MS) })
      .where(and(eq(codes.id, id), eq(codes.accountId, accountId), isNull(codes.deletedAt)))
      .returning();
    if (!deleted) return false;
    await countOwned(transaction, deleted, -1);
    await recordEvents(transaction, accountId, [{ type: 'code.deleted', codeId: id, at }]);
    await dropUnusedTags(transaction, accountId);
    return true;
  });
}

/** Brings a deleted code back as it was. False if it is emptied by now, or its account erased. */
export async function restoreCode(
  orm: Orm,
  { accountId, id }: { accountId: string; id: string },
  now: Date,
): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    if (!(await lockOwner(transaction, accountId))) return false;
    const [restored] = await transaction
      .update(codes)
      .set({ deletedAt: null, eraseAt: null })
      .where(and(eq(codes.id, id), isNotNull(codes.deletedAt), gt(codes.eraseAt, now)))
      .returning();
    if (!restored) return false;
    await countOwned(transaction, restored, 1);
    await resumeRouting(transaction, restored, now);
    await recordEvents(transaction, accountId, [{ type: 'code.created', codeId: id, at: now }]);
    return true;
  });
}

/** Empties the codes that were deleted 30 days ago and drops their histories and logos. */
export async function emptyDeletedCodes(orm: Orm, now: Date, stopping: AbortSignal): Promise<void> {
  const isDue = lte(codes.eraseAt, now);
  for (let found = BATCH; found === BATCH && !stopping.aborted; ) {
    const due = await orm
      .select({ id: codes.id, accountId: codes.accountId })
      .from(codes)
      .where(isDue)
      .limit(BATCH);
    for (const { id, accountId } of due) {
      await orm.transaction(async (transaction) => {
        await lockOwner(transaction, accountId);
        const [locked] = await transaction
          .select()
          .from(codes)
          .where(and(eq(codes.id, id), isDue))
          .for('update');
        if (!locked) return;
        await transaction
          .update(codes)
          .set({ ...EMPTIED, eraseAt: null })
          .where(eq(codes.id, id));
        const earlier = await listEarlierLogos(transaction, id);
        await transaction.delete(codeChanges).where(eq(codeChanges.codeId, id));
        await dropUnusedLogos(transaction, locked.logoId ? [locked.logoId, ...earlier] : earlier);
        await dropUnusedTags(transaction, accountId);
      });
    }
    found = due.length;
  }
}

/** Counts a code that its owner lost or got back, and notifies every node. The account must be locked. */
async function countOwned(orm: Orm, code: typeof codes.$inferSelect, change: 1 | -1): Promise<void> {
  await countListed(orm, code, change);
  await orm
    .update(accounts)
    .set({ codeCount: sql`${accounts.codeCount} + ${change}` })
    .where(eq(accounts.id, code.accountId));
  await announceChanges(orm, [code]);
}
