import { eq, sql } from 'drizzle-orm';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { ApiError } from '#host/http/errors';
import { countInBlocks } from './blocks.store';
import { announceChanges, findCodeByKey, lockOwner } from './codes.store';
import { takeLogo } from './logos.store';
import { countTagged, dropUnusedTags, idsOf, takeTags } from './tags.store';

/** `tags` by their names; those that the account does not have yet are made. */
export type NewCode = Omit<typeof codes.$inferInsert, 'number' | 'tagIds' | 'archivedAt'> & {
  tags?: string[];
};

/** A code that a form made; of an earlier one where the same form was sent before. */
export interface Inserted {
  id: string;
  isNew: boolean;
}

/**
 * Stores codes of an account and counts them, all or none. A logo that the account has already is shared. Refuses the
 * field `logo` with `logo_total` where all its logos would take more than `logosBytes`, the field `tags` with
 * `account_tags_too_many`, and throws `unauthenticated` when the account was erased meanwhile.
 */
export async function insertCodes(
  orm: Orm,
  accountId: string,
  made: NewCode[],
  logosBytes = Number.POSITIVE_INFINITY,
): Promise<Inserted[]> {
  return orm.transaction(async (transaction) => {
    // Locked as erasing locks it: either these codes are there to be emptied, or the account is known to be gone.
    const owner = await lockOwner(transaction, accountId);
    if (!owner) throw new ApiError('unauthenticated');
    const tagIds = await takeTags(
      transaction,
      accountId,
      made.flatMap(({ tags = [] }) => tags),
    );
    const rows = [];
    for (const [index, { tags = [], ...code }] of made.entries()) {
      const logoId = code.logoId && (await takeLogo(transaction, accountId, code.logoId, logosBytes));
      const number = owner.lastCodeNumber + 1 + index;
      rows.push({ ...code, logoId, tagIds: idsOf(tagIds, tags), number });
    }
    const created = await transaction
      .insert(codes)
      .values(rows)
      .onConflictDoNothing({ target: [codes.accountId, codes.formKey] })
      .returning({ id: codes.id, number: codes.number, tagIds: codes.tagIds, slug: codes.slug });
    if (created.length > 0) {
      await transaction
        .update(accounts)
        .set({
          codeCount: sql`${accounts.codeCount} + ${created.length}`,
          lastCodeNumber: owner.lastCodeNumber + made.length,
        })
        .where(eq(accounts.id, accountId));
      await countInBlocks(transaction, accountId, created, 1);
      const given = created.flatMap(({ tagIds }) => tagIds);
      await countTagged(transaction, given, { isArchived: false, change: 1 });
      await announceChanges(transaction, created);
    }
    if (created.length < made.length) await dropUnusedTags(transaction, accountId);
    const isNew = new Set(created.map(({ id }) => id));
    return Promise.all(
      made.map(async ({ id, formKey }) => {
        if (isNew.has(id)) return { id, isNew: true };
        return { id: (await findCodeByKey(transaction, accountId, formKey ?? '')) ?? id, isNew: false };
      }),
    );
  });
}

export async function insertCode(orm: Orm, code: NewCode): Promise<Inserted> {
  const [inserted] = await insertCodes(orm, code.accountId, [code]);
  return inserted ?? { id: code.id, isNew: false };
}
