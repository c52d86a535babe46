import { createHash } from 'node:crypto';
import { and, desc, eq, gt, lt, sql } from 'drizzle-orm';
import type { DraftFields } from '#contract/drafts';
import { DAY_MS, HOUR_MS } from '#contract/time';
import { unused } from '#host/codes/logos/store';
import type { Orm } from '#host/db/client';
import { drafts, logos } from '#host/db/codes.tables';

export interface DraftRow {
  id: string;
  fields: DraftFields;
  logoId: string | null;
  logoName: string | null;
  logoPreset: string | null;
}

/** What is stored of a browser's key. */
export const hashVisitor = (visitor: string) => createHash('sha256').update(visitor).digest('hex');

/** The draft, for the browser that wrote it, until it expires. */
export async function findDraft(orm: Orm, id: string, visitor: string, now: Date): Promise<DraftRow | null> {
  const [row] = await orm
    .select({
      id: drafts.id,
      fields: drafts.fields,
      logoId: drafts.logoId,
      logoName: logos.name,
      logoPreset: drafts.logoPreset,
    })
    .from(drafts)
    .leftJoin(logos, eq(logos.id, drafts.logoId))
    .where(and(eq(drafts.id, id), eq(drafts.visitorHash, hashVisitor(visitor)), gt(drafts.expiresAt, now)));
  return row ? { ...row, fields: row.fields as DraftFields } : null;
}

export async function putDraft(
  orm: Orm,
  draft: Omit<DraftRow, 'logoName'> & { visitor: string; expiresAt: Date },
): Promise<void> {
  const { id, visitor, ...values } = draft;
  // An account keeps its unfinished designs longer than a browser does.
  const expiresAt = sql`greatest(${drafts.expiresAt}, excluded.expires_at)`;
  await orm
    .insert(drafts)
    .values({ id, visitorHash: hashVisitor(visitor), ...values })
    .onConflictDoUpdate({ target: drafts.id, set: { ...values, expiresAt } });
}

/** How long an account keeps a design that could not become a code. */
const UNFINISHED_MS = 365 * DAY_MS;

/** Transfers a draft to an account for which it could not be turned into a code. */
export async function transferDraft(orm: Orm, id: string, accountId: string, now: Date): Promise<void> {
  const expiresAt = new Date(now.getTime() + UNFINISHED_MS);
  await orm.update(drafts).set({ accountId, expiresAt }).where(eq(drafts.id, id));
}

const ofAccount = (accountId: string, now: Date) =>
  and(eq(drafts.accountId, accountId), gt(drafts.expiresAt, now));

/** The newest design that should have become a code of this account. */
export async function findUnfinishedDraft(orm: Orm, accountId: string, now: Date) {
  const [draft] = await orm
    .select({ id: drafts.id, fields: drafts.fields })
    .from(drafts)
    .where(ofAccount(accountId, now))
    .orderBy(desc(drafts.expiresAt))
    .limit(1);
  return draft ? { id: draft.id, fields: draft.fields as DraftFields } : null;
}

/** What was typed into the unfinished designs of an account, newest first. */
export async function listUnfinishedDrafts(orm: Orm, accountId: string, now: Date): Promise<DraftFields[]> {
  const rows = await orm
    .select({ fields: drafts.fields })
    .from(drafts)
    .where(ofAccount(accountId, now))
    .orderBy(desc(drafts.expiresAt));
  return rows.map(({ fields }) => fields as DraftFields);
}

/** Gives this browser access to an unfinished design of the account; false if it has none with this id. */
export async function claimDraft(
  orm: Orm,
  { id, accountId, visitor, now }: { id: string; accountId: string; visitor: string; now: Date },
): Promise<boolean> {
  const claimed = await orm
    .update(drafts)
    .set({ visitorHash: hashVisitor(visitor) })
    .where(and(eq(drafts.id, id), ofAccount(accountId, now)))
    .returning({ id: drafts.id });
  return claimed.length > 0;
}

/** False if the account has no unfinished design with this id. */
export async function discardDraft(orm: Orm, id: string, accountId: string): Promise<boolean> {
  const discarded = await orm
    .delete(drafts)
    .where(and(eq(drafts.id, id), eq(drafts.accountId, accountId)))
    .returning({ id: drafts.id });
  return discarded.length > 0;
}

/** Deletes the unfinished designs of an account. */
export async function eraseDrafts(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(drafts).where(eq(drafts.accountId, accountId));
}

export async function deleteDraft(orm: Orm, id: string): Promise<void> {
  await orm.delete(drafts).where(eq(drafts.id, id));
}

/** Drops expired drafts, and logos that nothing uses any more. */
export async function dropExpiredDrafts(orm: Orm, now: Date): Promise<void> {
  await orm.delete(drafts).where(lt(drafts.expiresAt, now));
  const hourAgo = new Date(now.getTime() - HOUR_MS);
  await orm.delete(logos).where(and(lt(logos.createdAt, hourAgo), unused(orm)));
}
