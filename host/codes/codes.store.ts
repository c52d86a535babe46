import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import { countInBlocks } from './blocks.store';
import { dropUnusedLogos } from './drafts.store';
import { countTagged, dropUnusedTags, tagLabels } from './tags.store';

export type CodeRow = typeof codes.$inferSelect & {
  tags: string[];
  logoName: string | null;
  scans: number | null;
  clicks: number | null;
  lastAt: Date | null;
};

export type Change = Omit<typeof codeChanges.$inferSelect, 'id' | 'codeId'>;

/** Channel on which every node hears the slug of a changed code. */
export const CODE_CHANGED = 'code_changed';
/** On the same channel, which every node listens to already: no slug, but that other hosts are blocked. */
export const TARGETS_CHANGED = '*';

/** What a code says of its owner is gone with it. */
export const EMPTIED = {
  content: '',
  subject: '',
  body: '',
  name: null,
  tagIds: [],
  logoId: null,
  logoPreset: null,
  style: null,
};

const row = {
  code: codes,
  tags: tagLabels,
  logoName: logos.name,
  scans: codeTotals.scans,
  clicks: codeTotals.clicks,
  lastAt: codeTotals.lastAt,
};

function selectRows(orm: Orm) {
  return orm
    .select(row)
    .from(codes)
    .leftJoin(logos, eq(logos.id, codes.logoId))
    .leftJoin(codeTotals, eq(codeTotals.codeId, codes.id));
}

const owned = (accountId: string) => and(eq(codes.accountId, accountId), isNull(codes.deletedAt));

/** These codes of an account, in this order. */
export async function readCodes(orm: Orm, accountId: string, ids: readonly string[]): Promise<CodeRow[]> {
  if (ids.length === 0) return [];
  const rows = await selectRows(orm).where(and(inArray(codes.id, [...ids]), owned(accountId)));
  const found = new Map(rows.map((row) => [row.code.id, flat(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

export async function findCode(orm: Orm, accountId: string, id: string): Promise<CodeRow | null> {
  const [found] = await selectRows(orm).where(and(eq(codes.id, id), owned(accountId)));
  return found ? flat(found) : null;
}

/** When the account deleted this code; null where it has it still or never had it. */
export async function findDeletion(orm: Orm, accountId: string, id: string): Promise<Date | null> {
  const [code] = await orm
    .select({ deletedAt: codes.deletedAt })
    .from(codes)
    .where(and(eq(codes.id, id), eq(codes.accountId, accountId)));
  return code?.deletedAt ?? null;
}

export async function listChanges(orm: Orm, codeId: string): Promise<Change[]> {
  return orm
    .select({
      at: codeChanges.at,
      field: codeChanges.field,
      before: codeChanges.before,
      after: codeChanges.after,
    })
    .from(codeChanges)
    .where(eq(codeChanges.codeId, codeId))
    .orderBy(desc(codeChanges.at))
    .limit(100);
}

/** Id of the code that a form made, which may be deleted by now. */
export async function findCodeByKey(orm: Orm, accountId: string, formKey: string): Promise<string | null> {
  const [code] = await orm
    .select({ id: codes.id })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), eq(codes.formKey, formKey)));
  return code?.id ?? null;
}

/**
 * Empties the code and drops its history and its logo. The row stays, so that the address is never given out again.
 * False when there is nothing of this account to delete.
 */
export async function deleteCode(orm: Orm, accountId: string, id: string, at: Date): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    await lockOwner(transaction, accountId);
    const [deleted] = await transaction
      .select()
      .from(codes)
      .where(and(eq(codes.id, id), owned(accountId)))
      .for('update');
    if (!deleted) return false;
    await transaction
      .update(codes)
      .set({ ...EMPTIED, deletedAt: at })
      .where(eq(codes.id, id));
    await transaction.delete(codeChanges).where(eq(codeChanges.codeId, id));
    if (deleted.logoId) await dropUnusedLogos(transaction, [deleted.logoId]);
    await countListed(transaction, deleted, -1);
    await dropUnusedTags(transaction, accountId);
    await transaction
      .update(accounts)
      .set({ codeCount: sql`${accounts.codeCount} - 1` })
      .where(eq(accounts.id, accountId));
    await announceChanges(transaction, [deleted]);
    return true;
  });
}

/** Before any of its codes, as erasing does, so that two transactions never wait for each other. Visits are counted meanwhile. */
export async function lockOwner(orm: Orm, accountId: string) {
  const [owner] = await orm
    .select({ lastCodeNumber: accounts.lastCodeNumber })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)))
    .for('no key update');
  return owner ?? null;
}

/** Tells every node that visitors see something else. */
export async function announceChanges(orm: Orm, changed: readonly { slug: string }[]): Promise<void> {
  const slugs = sql.param(changed.map(({ slug }) => slug));
  await orm.execute(sql`select pg_notify(${CODE_CHANGED}, slug) from unnest(${slugs}::text[]) as slug`);
}

type Listed = Pick<typeof codes.$inferSelect, 'accountId' | 'number' | 'tagIds' | 'archivedAt'>;

/**
 * Counts a code that is made, changed or deleted where lists count it: in its block or among the archived ones, and in its tags.
 * The account must be locked.
 */
export async function countListed(orm: Orm, code: Listed, change: 1 | -1): Promise<void> {
  const isArchived = code.archivedAt !== null;
  if (!isArchived) await countInBlocks(orm, code.accountId, [code], change);
  else
    await orm
      .update(accounts)
      .set({ archivedCount: sql`${accounts.archivedCount} + ${change}` })
      .where(eq(accounts.id, code.accountId));
  await countTagged(orm, code.tagIds, { isArchived, change });
}

function flat({
  code,
  ...joined
}: { code: typeof codes.$inferSelect } & Omit<CodeRow, keyof typeof codes.$inferSelect>) {
  return { ...code, ...joined };
}
