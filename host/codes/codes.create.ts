import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { DraftFields } from '#contract/drafts';
import { recordActivity } from '#host/accounts/activities';
import type { Orm } from '#host/db/client';
import { codes, drafts } from '#host/db/codes.tables';
import type { Deps } from '#host/http/deps';
import { insertCode } from './codes.store';
import { readFields } from './contents';
import { deleteDraft, giveDraft } from './drafts.store';
import { makeSlug } from './slugs';

/**
 * Turns a kept design into a code, once; answers its id, or null when the design is gone or not yet a valid code. Then
 * the account keeps it, and its dashboard asks to mend it. Whoever calls it has made sure that the design belongs to the account. For use in a transaction.
 */
export async function createFromDraft(
  orm: Orm,
  { random, settings }: Pick<Deps, 'random' | 'settings'>,
  accountId: string,
  draftId: string,
  now: Date,
): Promise<string | null> {
  const [draft] = await orm.select().from(drafts).where(eq(drafts.id, draftId)).for('update');
  const fields = DraftFields.safeParse(draft?.fields);
  if (!draft || draft.expiresAt <= now || !fields.success) return null;
  const { type, useWhiteBackground } = fields.data;
  const read = readFields(fields.data, settings);
  if ('refused' in read) {
    await giveDraft(orm, draftId, accountId, now);
    return null;
  }
  const created = await insertCode(orm, {
    id: randomUUID(),
    accountId,
    slug: makeSlug(random),
    type,
    ...read.values,
    visibility: 'public',
    useWhiteBackground,
    logoId: draft.logoId,
    logoPreset: draft.logoPreset,
    formKey: `draft:${draftId}`,
    createdAt: now,
    updatedAt: now,
  });
  if (created.isNew) await recordActivity(orm, accountId, 'qrcode_create', now);
  await deleteDraft(orm, draftId);
  return created.id;
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
