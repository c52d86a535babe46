import { and, desc, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import { countInBlocks } from '#host/codes/blocks/store';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { codeTotals } from '#host/db/visits.tables';
import type { CallerTag } from '#host/http/caller';
import { ApiError } from '#host/http/errors';
import { FAILING, type failureOf } from './destination';
import { countTagged, hasTag, tagLabels } from './tags';

export type CodeRow = typeof codes.$inferSelect & {
  tags: string[];
  logoName: string | null;
  scans: number | null;
  clicks: number | null;
  lastAt: Date | null;
  /** Its destinations that are known to fail. */
  failing: Parameters<typeof failureOf>[0]['failing'];
};

export type Change = Omit<typeof codeChanges.$inferSelect, 'id' | 'codeId'>;

/** Channel on which every node receives the slug of a changed code. */
export const CODE_CHANGED = 'code_changed';
/** Sent on the same channel, which every node listens to anyway, in place of a slug: the blocked hosts have changed. */
export const TARGETS_CHANGED = '*';

/** The values of an emptied code: nothing in it is about its owner. */
export const EMPTIED = {
  content: '',
  subject: '',
  body: '',
  name: null,
  tagIds: [],
  logoId: null,
  logoPreset: null,
  style: null,
  routing: null,
  campaign: null,
};

const row = {
  code: codes,
  tags: tagLabels,
  logoName: logos.name,
  scans: codeTotals.scans,
  clicks: codeTotals.clicks,
  lastAt: codeTotals.lastAt,
  failing: FAILING,
};

function selectRows(orm: Orm) {
  return orm
    .select(row)
    .from(codes)
    .leftJoin(logos, eq(logos.id, codes.logoId))
    .leftJoin(codeTotals, eq(codeTotals.codeId, codes.id));
}

const owned = (accountId: string) => and(eq(codes.accountId, accountId), isNull(codes.deletedAt));

/** These codes of an account, or those of them with a tag, in this order. */
export async function readCodes(
  orm: Orm,
  accountId: string,
  ids: readonly string[],
  within: CallerTag | null = null,
): Promise<CodeRow[]> {
  if (ids.length === 0) return [];
  const isWanted = sql`${codes.id} = any (${sql.param([...ids])}::uuid[])`;
  const rows = await selectRows(orm).where(and(isWanted, owned(accountId), hasTag(within)));
  const found = new Map(rows.map((row) => [row.code.id, flat(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The newest codes in use of an account, of those with lower numbers than `below`, newest first. */
export function readNewest(
  orm: Orm,
  accountId: string,
  { below, limit }: { below?: number | undefined; limit: number },
): Promise<CodeRow[]> {
  const isBelow = below === undefined ? undefined : lt(codes.number, below);
  return selectRows(orm)
    .where(and(owned(accountId), isNull(codes.archivedAt), isBelow))
    .orderBy(desc(codes.number))
    .limit(limit)
    .then((rows) => rows.map(flat));
}

/** These codes in any order, deleted ones that are not emptied yet as well. */
export async function readAnyCodes(orm: Orm, accountId: string, ids: readonly string[]): Promise<CodeRow[]> {
  const isWanted = sql`${codes.id} = any (${sql.param([...ids])}::uuid[])`;
  return (await selectRows(orm).where(and(isWanted, eq(codes.accountId, accountId)))).map(flat);
}

export async function findCode(orm: Orm, accountId: string, id: string): Promise<CodeRow | null> {
  const [found] = await selectRows(orm).where(and(eq(codes.id, id), owned(accountId)));
  return found ? flat(found) : null;
}

/** The code of an account, or an error that says whether the account deleted it. */
export async function requireCode(orm: Orm, accountId: string, id: string): Promise<CodeRow> {
  const code = await findCode(orm, accountId, id);
  if (code) return code;
  const wasDeleted = and(eq(codes.id, id), eq(codes.accountId, accountId), isNotNull(codes.deletedAt));
  throw new ApiError((await orm.$count(codes, wasDeleted)) > 0 ? 'code_deleted' : 'not_found');
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

/** Id of the code created from this form; it may be deleted by now. */
export async function findCodeByKey(orm: Orm, accountId: string, formKey: string): Promise<string | null> {
  return (await findCodesByKeys(orm, accountId, [formKey])).get(formKey) ?? null;
}

/** The same for several forms, by form key. */
export async function findCodesByKeys(
  orm: Orm,
  accountId: string,
  formKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (formKeys.length === 0) return new Map();
  const isNamed = sql`${codes.formKey} = any (${sql.param([...formKeys])}::text[])`;
  const found = await orm
    .select({ id: codes.id, formKey: codes.formKey })
    .from(codes)
    .where(and(eq(codes.accountId, accountId), isNamed));
  return new Map(found.map(({ id, formKey }) => [formKey ?? '', id]));
}

/** Taken before locks on its codes, as erasing does, to avoid deadlocks. Visits can still be counted meanwhile. */
export async function lockOwner(orm: Orm, accountId: string) {
  const [owner] = await orm
    .select({ lastCodeNumber: accounts.lastCodeNumber })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.deletedAt)))
    .for('no key update');
  return owner ?? null;
}

/** Tells every node that what visitors see has changed. */
export async function announceChanges(orm: Orm, changed: readonly { slug: string }[]): Promise<void> {
  const slugs = sql.param(changed.map(({ slug }) => slug));
  await orm.execute(
    sql`select count(pg_notify(${CODE_CHANGED}, slug)) from unnest(${slugs}::text[]) as slug`,
  );
}

type Listed = Pick<typeof codes.$inferSelect, 'accountId' | 'number' | 'tagIds' | 'archivedAt'>;

/**
 * Adds a created, changed or deleted code to the counts that lists use, or subtracts it: those of its block or of the
 * archive, and of its tags. The account must be locked.
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
  // A copy of its forty columns takes 7 µs, a twentieth of the time of a page of a list.
  return Object.assign(code, joined);
}
