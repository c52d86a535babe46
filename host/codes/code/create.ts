import { randomUUID } from 'node:crypto';
import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { isDynamic } from '#contract/contents/contents';
import { DraftFields } from '#contract/drafts';
import { recordActivity } from '#host/accounts/activities';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { countInBlocks } from '#host/codes/blocks/store';
import { readDraft } from '#host/codes/contents/contents';
import { deleteDraft, transferDraft } from '#host/codes/drafts/store';
import { adoptLogo } from '#host/codes/logos/store';
import { storedStyle } from '#host/codes/looks/store';
import { resumeRouting } from '#host/codes/routing/schedule';
import { accounts } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codes, drafts } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { requireCampaign } from './campaign';
import { makeSlug } from './slugs';
import { announceChanges, findCodesByKeys, lockOwner } from './store';
import { countTagged, dropUnusedTags, idsOf, takeTags } from './tags';
import { recordEvents } from './webhook-events';

/** `tags` by name; those that the account lacks are created. */
export type NewCode = Omit<typeof codes.$inferInsert, 'number' | 'tagIds' | 'archivedAt' | 'eraseAt'> & {
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
    const logoIds = new Map<string, string>();
    for (const id of new Set(newCodes.flatMap(({ logoId }) => logoId ?? [])))
      logoIds.set(id, await adoptLogo(transaction, accountId, id, logosBytes));
    const rows = [];
    for (const [index, { tags = [], ...code }] of newCodes.entries()) {
      const logoId = code.logoId && logoIds.get(code.logoId);
      const number = owner.lastCodeNumber + 1 + index;
      rows.push({
        subject: '',
        body: '',
        isCounted: true,
        isWatched: true,
        ...code,
        logoId,
        tagIds: idsOf(tagIds, tags),
        number,
      });
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
      const newIds = new Set(created.map(({ id }) => id));
      const isNew = rows.filter(({ id }) => newIds.has(id));
      for (const { id, routing = null, createdAt } of isNew)
        await resumeRouting(transaction, { id, routing }, createdAt);
      await recordEvents(
        transaction,
        accountId,
        isNew.map(({ id, createdAt }) => ({ type: 'code.created', codeId: id, at: createdAt })),
      );
    }
    if (created.length < newCodes.length) await dropUnusedTags(transaction, accountId);
    const newIds = new Set(created.map(({ id }) => id));
    const earlier = newCodes.flatMap(({ id, formKey }) => (newIds.has(id) ? [] : (formKey ?? [])));
    const found = await findCodesByKeys(transaction, accountId, earlier);
    return newCodes.map(({ id, formKey }) =>
      newIds.has(id) ? { id, isNew: true } : { id: found.get(formKey ?? '') ?? id, isNew: false },
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

/** A code to create; its content comes from `readContent` or `readFields`. */
export type NewDesign = Pick<
  NewCode,
  | 'type'
  | 'content'
  | 'subject'
  | 'body'
  | 'visibility'
  | 'isCounted'
  | 'isWatched'
  | 'name'
  | 'tags'
  | 'useWhiteBackground'
  | 'logoId'
  | 'logoPreset'
  | 'style'
  | 'campaign'
  | 'formKey'
>;

/** As many slugs that no code has: in a database of a million codes, a thousand new ones meet one once in a thousand times. */
async function makeFreeSlugs(orm: Orm, random: Deps['random'], count: number): Promise<string[]> {
  const free = new Set<string>();
  while (free.size < count) {
    const made = Array.from({ length: count - free.size }, () => makeSlug(random));
    const isMade = sql`${codes.slug} = any (${sql.param(made)}::text[])`;
    const taken = await orm.select({ slug: codes.slug }).from(codes).where(isMade);
    for (const slug of made) if (!taken.some((code) => code.slug === slug)) free.add(slug);
  }
  return [...free];
}

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
  const slugs = await makeFreeSlugs(orm, random, designs.length);
  const newCodes = designs.map((design, index) => ({
    id: randomUUID(),
    slug: slugs[index] ?? '',
    ...stamps,
    ...design,
  }));
  for (const code of newCodes)
    requireCampaign({ ...code, name: code.name ?? null, tags: code.tags ?? [] }, 'campaign');
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
  const { type, useWhiteBackground, uncounted } = fields.data;
  const read = readDraft(fields.data, await readLinkRules(orm, deps.settings));
  if ('refused' in read) {
    await transferDraft(orm, draftId, accountId, now);
    return null;
  }
  const { logoId, logoPreset } = draft;
  const style = storedStyle(read.values.style);
  const design = {
    type,
    ...read.values,
    isCounted: !(uncounted && isDynamic(type)),
    style,
    useWhiteBackground,
    logoId,
    logoPreset,
  };
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
