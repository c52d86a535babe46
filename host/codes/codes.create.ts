import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { DraftFields } from '#contract/drafts';
import { recordActivity } from '#host/accounts/activities';
import type { Orm } from '#host/db/client';
import { codes, drafts } from '#host/db/codes.tables';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { type Inserted, insertCodes, type NewCode } from './codes.insert';
import { readDraft } from './contents';
import { deleteDraft, giveDraft } from './drafts.store';
import { makeSlug } from './slugs';
import { storedStyle } from './stored-styles';

/** A code to be made; its content as `readContent` or `readFields` answered it. */
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
 * Makes codes of an account, all or none, and records it among its activities; a form that was posted before answers its first code. Refuses
 * what `insertCodes` refuses.
 */
export async function createCodes(
  orm: Orm,
  { random }: Pick<Deps, 'random'>,
  accountId: string,
  designs: readonly NewDesign[],
  { now, logosBytes, isRecorded = true }: { now: Date; logosBytes?: number; isRecorded?: boolean },
): Promise<Inserted[]> {
  const stamps = { accountId, createdAt: now, updatedAt: now };
  const made = designs.map((design) => ({ id: randomUUID(), slug: makeSlug(random), ...stamps, ...design }));
  const inserted = await insertCodes(orm, accountId, made, logosBytes);
  const [first, ...others] = inserted.filter(({ isNew }) => isNew);
  if (first && isRecorded) {
    const about = others.length > 0 ? { codes: 1 + others.length } : { codeId: first.id };
    await recordActivity(orm, accountId, 'qrcode_create', now, about);
  }
  return inserted;
}

/**
 * Turns a kept design into a code, once; answers its id, or null when the design is gone or not yet a valid code. Then
 * the account keeps it, and its dashboard asks to mend it. Whoever calls it has made sure that the design belongs to the account. For use in a transaction.
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
  const read = readDraft(fields.data, deps.settings);
  if ('refused' in read) {
    await giveDraft(orm, draftId, accountId, now);
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
  // An account that has all the tags it may have gets the code all the same.
  const [created] = await create(design.tags).catch((error: unknown) => {
    if (error instanceof ApiError && error.fields?.tags) return create([]);
    throw error;
  });
  await deleteDraft(orm, draftId);
  return created?.id ?? null;
}

/** The code of an account that a kept design became; null where it became none, or the code is gone. */
export async function findCodeOfDraft(orm: Orm, accountId: string, draftId: string): Promise<string | null> {
  const [code] = await orm
    .select({ id: codes.id })
    .from(codes)
    .where(
      and(eq(codes.accountId, accountId), eq(codes.formKey, `draft:${draftId}`), isNull(codes.deletedAt)),
    );
  return code?.id ?? null;
}
