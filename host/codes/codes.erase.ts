import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { dropBlocks } from './blocks.store';
import { CODE_CHANGED } from './codes.store';

/**
 * Empties every code of an account. The rows stay, so that printed addresses answer as deleted and are never given
 * out again. Logos go with them, and every node hears of it. For use in a transaction.
 */
export async function eraseCodes(orm: Orm, accountId: string, now: Date): Promise<void> {
  const own = orm.select({ id: codes.id }).from(codes).where(eq(codes.accountId, accountId));
  await orm.delete(codeChanges).where(inArray(codeChanges.codeId, own));
  const withLogo = await orm
    .select({ logoId: codes.logoId })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), isNotNull(codes.logoId)));
  await orm.execute(
    sql`select pg_notify(${CODE_CHANGED}, ${codes.slug}) from ${codes} where ${codes.accountId} = ${accountId} and ${codes.deletedAt} is null`,
  );
  await orm
    .update(codes)
    .set({ content: '', subject: '', body: '', logoId: null, logoPreset: null, formKey: null })
    .where(eq(codes.accountId, accountId));
  await orm
    .update(codes)
    .set({ deletedAt: now })
    .where(and(eq(codes.accountId, accountId), isNull(codes.deletedAt)));
  await dropBlocks(orm, accountId);
  await eraseLogos(orm, [...new Set(withLogo.flatMap(({ logoId }) => logoId ?? []))]);
}

/** Logos that no code uses any more; a draft may still show one, which then goes with the draft. */
async function eraseLogos(orm: Orm, ids: string[]): Promise<void> {
  const chunk = 1000;
  for (let start = 0; start < ids.length; start += chunk) {
    await orm
      .delete(logos)
      .where(
        and(
          inArray(logos.id, ids.slice(start, start + chunk)),
          sql`not exists (select 1 from codes where codes.logo_id = ${logos.id})`,
          sql`not exists (select 1 from drafts where drafts.logo_id = ${logos.id})`,
        ),
      );
  }
}
