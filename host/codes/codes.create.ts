import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { DraftFields } from '#contract/drafts';
import { recordActivity } from '#host/accounts/activities';
import type { Orm } from '#host/db/client';
import { codes, drafts } from '#host/db/codes.tables';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { storedStyle } from '#host/styles/styles.store';
import { readLinkRules } from './blocking';
import { type Inserted, insertCodes, type NewCode } from './codes.insert';
import { readDraft } from './contents';
import { deleteDraft, transferDraft } from './drafts.store';
import { makeSlug } from './slugs';

/** A code to create; its content comes from `readContent` or `readFields`. */
export type NewDesign = Pick<
  NewCode,
  | 'type'
  | 'content'
  | 'subject'
  | 'body'
  | 'visibility'
  | 'name'
  | 'tags'
  | 'useWhiteBackground'
  | 'logoId'
  | 'logoPreset'
  | 'style'
  | 'formKey'
>;

/**
 * Creates codes for an account, all or none, and records that in its activities; a form that is posted again returns
 * the code it created first. Refuses what `insertCodes` refuses.
 */
export async function createCodes(
  orm: Orm,
  { random }: Pick<Deps, 'random'>,
  accountId: string,
  designs: readonly NewDesign[],
  { now, logosBytes, isRecorded = true }: { now: Date; logosBytes?: number; isRecorded?: boolean },
): Promise<Inserted[]> {
  const stamps = { accountId, createdAt: now, updatedAt: now };
  const newCodes = designs.map((design) => ({
    id: randomUUID(),
    slug: makeSlug(random),
    ...stamps,
    ...design,
  }));
  const inserted = await insertCodes(orm, accountId, newCodes, logosBytes);
  const [first, ...others] = inserted.filter(({ isNew }) => isNew);
  if (first && isRecorded) {
    const about = others.length > 0 ? { codes: 1 + others.length } : { codeId: first.id };
    await recordActivity(orm, accountId, 'qrcode_create', now, about);
  }
  return inserted;
}

/**
 * Turns a saved design into a code, once; returns its id, or null if the design is gone or not yet a valid code. In the
 * latter case the account keeps it, and its dashboard asks the owner to fix it. The caller must have checked that the
 * design belongs to the account. Call it in a transaction.
 */
export async function createFromDraft(
  orm: Orm,
  deps: Pick<Deps, 'random' | 'settings'>,
  accountId: string,
  draftId: string,
  now: Date,
): Promise<string | null> {
  const [draft] = await orm.select().from(drafts).where(eq(drafts.id, draftId)).for('update');
  const fields = DraftFields.safeParse(draft?.fields);
  if (!draft || draft.expiresAt <= now || !fields.success) return null;
  const { type, useWhiteBackground } = fields.data;
  const read = readDraft(fields.data, await readLinkRules(orm, deps.settings));
  if ('refused' in read) {
    await transferDraft(orm, draftId, accountId, now);
    return null;
  }
  const { logoId, logoPreset } = draft;
  const style = storedStyle(read.values.style);
  const design = { type, ...read.values, style, useWhiteBackground, logoId, logoPreset };
  const create = (tags: string[]) =>
    createCodes(
      orm,
      deps,
      accountId,
      [{ ...design, tags, visibility: 'public', formKey: `draft:${draftId}` }],
      { now },
    );
  // An account at its tag limit still gets the code.
  const [created] = await create(design.tags).catch((error: unknown) => {
    if (error instanceof ApiError && error.fields?.tags) return create([]);
    throw error;
  });
  await deleteDraft(orm, draftId);
  return created?.id ?? null;
}

/** The code that a saved design became; null if it did not become one, or if the code is gone. */
export async function findCodeOfDraft(orm: Orm, accountId: string, draftId: string): Promise<string | null> {
  const [code] = await orm
    .select({ id: codes.id })
    .from(codes)
    .where(
      and(eq(codes.accountId, accountId), eq(codes.formKey, `draft:${draftId}`), isNull(codes.deletedAt)),
    );
  return code?.id ?? null;
}
