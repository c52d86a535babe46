import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { dropBlocks } from '#host/codes/blocks/store';
import { eraseJobs } from '#host/codes/bulk/store';
import { eraseDrafts } from '#host/codes/drafts/store';
import { dropLogos } from '#host/codes/logos/store';
import type { Orm } from '#host/db/client';
import { codeChanges, codes } from '#host/db/codes.tables';
import { CODE_CHANGED, EMPTIED } from './store';
import { dropTags } from './tags';

/**
 * Empties every code of an account. The rows stay, so that printed addresses report a deleted code and are never
 * reused. Logos are deleted too, and every node is notified. Call it in a transaction.
 */
export async function eraseCodes(orm: Orm, accountId: string, now: Date): Promise<void> {
  const own = orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
  // Counted, so that not a row comes back for each of perhaps 100,000 codes.
  await orm.execute(
    sql`select count(pg_notify(${CODE_CHANGED}, ${codes.slug})) from ${codes} where ${codes.accountId} = ${accountId} and ${codes.deletedAt} is null`,
  );
  await orm
    .update(codes)
    .set({ ...EMPTIED, formKey: null })
    .where(eq(codes.accountId, accountId));
  await orm
    .update(codes)
    .set({ deletedAt: now })
    .where(and(eq(codes.accountId, accountId), isNull(codes.deletedAt)));
  // Not earlier: a concurrent change writes its history before its row can be emptied.
  await orm.delete(codeChanges).where(inArray(codeChanges.codeId, own));
  await dropBlocks(orm, accountId);
  await dropTags(orm, accountId);
  await eraseJobs(orm, accountId);
  await eraseDrafts(orm, accountId);
  await dropLogos(orm, accountId);
}
