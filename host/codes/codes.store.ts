import { randomUUID } from 'node:crypto';
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import { ApiError } from '#host/http/errors';
import { countInBlock, pageOfCodes } from './blocks.store';
import { dropUnusedLogos } from './drafts.store';
import { takeLogo } from './logos.store';

export type CodeRow = typeof codes.$inferSelect & {
  logoName: string | null;
  scans: number | null;
  clicks: number | null;
  lastAt: Date | null;
};
type NewCode = Omit<typeof codes.$inferInsert, 'number'>;
export type Change = Omit<typeof codeChanges.$inferSelect, 'id' | 'codeId'>;

/** Channel on which every node hears the slug of a changed code. */
export const CODE_CHANGED = 'code_changed';

/** What a code says of its owner is gone with it. */
export const EMPTIED = { content: '', subject: '', body: '', logoId: null, logoPreset: null };

const row = {
  code: codes,
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

/** One page, newest first. */
export async function listCodes(
  orm: Orm,
  accountId: string,
  page: number,
  limit: number,
): Promise<CodeRow[]> {
  const rows = await selectRows(orm)
    .where(inArray(codes.id, pageOfCodes(accountId, page, limit)))
    .orderBy(desc(codes.number));
  return rows.map(flat);
}

export async function countCodes(orm: Orm, accountId: string): Promise<number> {
  const [account] = await orm
    .select({ count: accounts.codeCount })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  return account?.count ?? 0;
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

/**
 * Stores the code and counts it; answers the id of the earlier code when the same form was sent before. Throws
 * `unauthenticated` when the account was erased meanwhile.
 */
export async function insertCode(orm: Orm, code: NewCode): Promise<{ id: string; isNew: boolean }> {
  return orm.transaction(async (transaction) => {
    // Locked as erasing locks it: either this code is there to be emptied, or the account is known to be gone.
    const owner = await lockOwner(transaction, code.accountId);
    if (!owner) throw new ApiError('unauthenticated');
    const number = owner.lastCodeNumber + 1;
    const [created] = await transaction
      .insert(codes)
      .values({ ...code, number })
      .onConflictDoNothing({ target: [codes.accountId, codes.formKey] })
      .returning({ id: codes.id });
    if (created) {
      await transaction
        .update(accounts)
        .set({ codeCount: sql`${accounts.codeCount} + 1`, lastCodeNumber: number })
        .where(eq(accounts.id, code.accountId));
      await countInBlock(transaction, code.accountId, number, 1);
      await announce(transaction, code.slug);
      return { id: created.id, isNew: true };
    }
    const earlier = await findCodeByKey(transaction, code.accountId, code.formKey ?? '');
    return { id: earlier ?? code.id, isNew: false };
  });
}

/**
 * Inserts a code as `insertCode` does, where the logos of its account keep within `logosBytes` with its own; refuses the
 * field `logo` with `logo_total` where they do not. A logo that the account has already is shared.
 */
export async function insertOwnDesign(orm: Orm, logosBytes: number, code: NewCode) {
  return orm.transaction(async (transaction) => {
    await lockOwner(transaction, code.accountId);
    const logoId = code.logoId && (await takeLogo(transaction, code.accountId, code.logoId, logosBytes));
    return insertCode(transaction, { ...code, logoId });
  });
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
 * Writes the new values with their history, and tells every node. False when there is nothing left to change: the same
 * was sent twice at once, or the code was deleted or erased meanwhile, and what it said must not come back.
 */
export async function changeCode(
  orm: Orm,
  read: CodeRow,
  changes: Change[],
  updatedAt: Date,
): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    const [current] = await transaction
      .select()
      .from(codes)
      .where(and(eq(codes.id, read.id), owned(read.accountId)))
      .for('update');
    const missing = current ? changes.filter(({ field, after }) => current[field] !== after) : [];
    if (!current || missing.length === 0) return false;
    const values = Object.fromEntries(missing.map(({ field, after }) => [field, after]));
    await transaction
      .update(codes)
      .set({ ...values, updatedAt })
      .where(eq(codes.id, read.id));
    await transaction.insert(codeChanges).values(
      missing.map((change) => {
        const { field } = change;
        const before = current[field] === read[field] ? change.before : current[field];
        return { id: randomUUID(), codeId: read.id, ...change, before };
      }),
    );
    await announce(transaction, read.slug);
    return true;
  });
}

/**
 * Empties the code and drops its history and its logo. The row stays, so that the address is never given out again.
 * False when there is nothing of this account to delete.
 */
export async function deleteCode(orm: Orm, accountId: string, id: string, at: Date): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    await lockOwner(transaction, accountId);
    const [deleted] = await transaction
      .select({ slug: codes.slug, number: codes.number, logoId: codes.logoId })
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
    await countInBlock(transaction, accountId, deleted.number, -1);
    await transaction
      .update(accounts)
      .set({ codeCount: sql`${accounts.codeCount} - 1` })
      .where(eq(accounts.id, accountId));
    await announce(transaction, deleted.slug);
    return true;
  });
}

/** Before any of its codes, as erasing does, so that two transactions never wait for each other. */
async function lockOwner(orm: Orm, accountId: string) {
  const [owner] = await orm
    .select({ lastCodeNumber: accounts.lastCodeNumber })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)))
    .for('update');
  return owner ?? null;
}

async function announce(orm: Orm, slug: string): Promise<void> {
  await orm.execute(sql`select pg_notify(${CODE_CHANGED}, ${slug})`);
}

function flat({
  code,
  ...joined
}: { code: typeof codes.$inferSelect } & Omit<CodeRow, keyof typeof codes.$inferSelect>) {
  return { ...code, ...joined };
}
