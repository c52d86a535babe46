import { and, eq, getTableColumns, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codes, logos } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import { ApiError, invalidField } from '#host/http/errors';
import { countInBlocks } from './blocks.store';
import { announceChanges, findCodeByKey, lockOwner } from './codes.store';
import { countTagged, dropUnusedTags, idsOf, takeTags } from './tags.store';

/** `tags` by name; those that the account lacks are created. */
export type NewCode = Omit<typeof codes.$inferInsert, 'number' | 'tagIds' | 'archivedAt'> & {
  tags?: string[];
};

/** The code created from a form, or the earlier one if the same form was sent before. */
export interface Inserted {
  id: string;
  isNew: boolean;
}

/**
 * Stores codes of an account and counts them, all or none. A logo that the account already has is shared. Refuses the
 * field `logo` with `logo_total` if all its logos would take more than `logosBytes`, the field `tags` with
 * `account_tags_too_many`, and throws `unauthenticated` if the account was erased meanwhile.
 */
export async function insertCodes(
  orm: Orm,
  accountId: string,
  newCodes: NewCode[],
  logosBytes = Number.POSITIVE_INFINITY,
): Promise<Inserted[]> {
  return orm.transaction(async (transaction) => {
    // The same lock as for erasing: either it empties these codes too, or the account is known to be gone.
    const owner = await lockOwner(transaction, accountId);
    if (!owner) throw new ApiError('unauthenticated');
    const tagIds = await takeTags(
      transaction,
      accountId,
      newCodes.flatMap(({ tags = [] }) => tags),
    );
    const rows = [];
    for (const [index, { tags = [], ...code }] of newCodes.entries()) {
      const logoId = code.logoId && (await deduplicateLogo(transaction, accountId, code.logoId, logosBytes));
      const number = owner.lastCodeNumber + 1 + index;
      rows.push({ subject: '', body: '', ...code, logoId, tagIds: idsOf(tagIds, tags), number });
    }
    const created = await insertRows(transaction, rows);
    if (created.length > 0) {
      await transaction
        .update(accounts)
        .set({
          codeCount: sql`${accounts.codeCount} + ${created.length}`,
          lastCodeNumber: owner.lastCodeNumber + newCodes.length,
        })
        .where(eq(accounts.id, accountId));
      await countInBlocks(transaction, accountId, created, 1);
      const tagIdsToCount = created.flatMap(({ tagIds }) => tagIds);
      await countTagged(transaction, tagIdsToCount, { isArchived: false, change: 1 });
      await announceChanges(transaction, created);
    }
    if (created.length < newCodes.length) await dropUnusedTags(transaction, accountId);
    const newIds = new Set(created.map(({ id }) => id));
    return Promise.all(
      newCodes.map(async ({ id, formKey }) => {
        if (newIds.has(id)) return { id, isNew: true };
        return { id: (await findCodeByKey(transaction, accountId, formKey ?? '')) ?? id, isNew: false };
      }),
    );
  });
}

const COLUMNS = Object.entries(getTableColumns(codes)).filter(([key]) => key !== 'writtenIn');
const COLUMN_NAMES = sql.join(
  COLUMNS.map(([, { name }]) => sql.identifier(name)),
  sql`, `,
);

/**
 * Returns the rows that were new. They are sent as one parameter: with twenty parameters each, a hundred rows take
 * twice as long. The account's lock makes a form that is sent twice at once wait for its first row, so the row need
 * not be inserted speculatively (`on conflict`), which takes a third longer.
 */
async function insertRows(orm: Orm, rows: (typeof codes.$inferInsert)[]) {
  const json = rows.map((row) =>
    Object.fromEntries(COLUMNS.map(([key, { name }]) => [name, row[key as keyof typeof row] ?? null])),
  );
  return readRows<Pick<typeof codes.$inferSelect, 'id' | 'number' | 'tagIds' | 'slug'>>(
    orm,
    sql`insert into codes (${COLUMN_NAMES})
    select ${COLUMN_NAMES} from jsonb_populate_recordset(null::codes, ${JSON.stringify(json)}::jsonb) as created
    where not exists (
      select from codes earlier where earlier.account_id = created.account_id and earlier.form_key = created.form_key
    )
    returning id, number, tag_ids as "tagIds", slug`,
  );
}

export async function insertCode(orm: Orm, code: NewCode): Promise<Inserted> {
  const [inserted] = await insertCodes(orm, code.accountId, [code]);
  return inserted ?? { id: code.id, isNew: false };
}

/**
 * The id to store with a code of this account: that of an identical logo if another of its codes has one. Refuses the
 * field `logo` with `logo_total` if all its logos would take more than `mostBytes`. The account must be locked.
 */
async function deduplicateLogo(
  orm: Orm,
  accountId: string,
  logoId: string,
  mostBytes: number,
): Promise<string> {
  const ofAccount = orm
    .selectDistinct({ id: codes.logoId })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), isNull(codes.deletedAt), isNotNull(codes.logoId)));
  const upload = alias(logos, 'taken');
  const [existing] = await orm
    .select({ id: logos.id })
    .from(logos)
    .innerJoin(upload, and(eq(upload.png, logos.png), eq(upload.name, logos.name), ne(upload.id, logos.id)))
    .where(and(eq(upload.id, logoId), inArray(logos.id, ofAccount)))
    .limit(1);
  if (existing) return existing.id;
  const [total] = await orm
    .select({ bytes: sql<string>`coalesce(sum(octet_length(${logos.png})), 0)` })
    .from(logos)
    .where(or(eq(logos.id, logoId), inArray(logos.id, ofAccount)));
  if (Number(total?.bytes) > mostBytes) throw invalidField('logo', 'logo_total');
  return logoId;
}
