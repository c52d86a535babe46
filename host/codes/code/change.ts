import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import type { LogoChoice } from '#contract/logo-choice';
import type { Style } from '#contract/style-rules';
import { displayedContent } from '#host/codes/contents/contents';
import { logoText, readLogoChoice } from '#host/codes/logos/choice';
import { storedStyle, styleText } from '#host/codes/looks/store';
import type { Orm } from '#host/db/client';
import { codeChanges, codes, logos } from '#host/db/codes.tables';
import { announceChanges, countListed, lockOwner } from './store';
import { dropUnusedTags, idsOf, readLabels, tagLabels, takeTags } from './tags';

type Kept = typeof codes.$inferSelect & { tags: string[]; logoName: string | null };

/** New values for a code; absent fields stay unchanged. */
export interface WantedValues {
  content?: string | undefined;
  subject?: string | undefined;
  body?: string | undefined;
  visibility?: 'private' | 'public' | undefined;
  name?: string | null | undefined;
  /** All its tags, or how they change. */
  tags?: string[] | ((before: string[]) => string[]) | undefined;
  archived?: boolean | undefined;
  /** Null for the default look. */
  style?: Style | null | undefined;
  logo?: LogoChoice | undefined;
}

const OPENED = ['content', 'subject', 'body', 'visibility'] as const;

/**
 * Writes new values with their history, and notifies every node of what visitors see. False if nothing is left to
 * change: the same change was sent twice at once, or the code was deleted or erased meanwhile, and its old content must
 * not come back. Refuses the field `tags` as `takeTags` does, and `logo` as `readLogoChoice` does.
 */
export async function changeCode(
  orm: Orm,
  { accountId, id }: { accountId: string; id: string },
  wanted: WantedValues,
  at: Date,
): Promise<boolean> {
  return orm.transaction(async (transaction) => {
    const isCounted = wanted.tags !== undefined || wanted.archived !== undefined;
    if (isCounted && !(await lockOwner(transaction, accountId))) return false;
    const before = await lockCode(transaction, accountId, id);
    if (!before) return false;
    const { tags, archived, style, logo, ...values } = wanted;
    const after = { ...before, ...definedOf(values) };
    if (tags !== undefined) {
      const labels = typeof tags === 'function' ? tags(before.tags) : tags;
      after.tagIds = idsOf(await takeTags(transaction, accountId, labels), labels);
      after.tags = await readLabels(transaction, after.tagIds);
    }
    if (archived !== undefined) after.archivedAt = archived ? (before.archivedAt ?? at) : null;
    if (style !== undefined) after.style = storedStyle(style);
    if (logo) Object.assign(after, await readLogoChoice(transaction, accountId, logo));
    const changed = textsOf(before).flatMap(([field, text], index) => {
      const [, now = ''] = textsOf(after)[index] ?? [];
      return now === text ? [] : [{ field, before: text, after: now }];
    });
    if (changed.length === 0) return false;
    const { tags: _labels, logoName: _name, ...row } = after;
    await transaction
      .update(codes)
      .set({ ...row, updatedAt: at })
      .where(eq(codes.id, id));
    await transaction
      .insert(codeChanges)
      .values(changed.map((change) => ({ id: randomUUID(), codeId: id, at, ...change })));
    if (isCounted) {
      await countListed(transaction, after, 1);
      await countListed(transaction, before, -1);
      await dropUnusedTags(transaction, accountId);
    }
    if (changed.some(({ field }) => OPENED.some((opened) => opened === field)))
      await announceChanges(transaction, [before]);
    return true;
  });
}

async function lockCode(orm: Orm, accountId: string, id: string): Promise<Kept | null> {
  const [locked] = await orm
    .select({ code: codes, tags: tagLabels, logoName: logos.name })
    .from(codes)
    .leftJoin(logos, eq(logos.id, codes.logoId))
    .where(and(eq(codes.id, id), eq(codes.accountId, accountId), isNull(codes.deletedAt)))
    .for('update', { of: codes });
  return locked ? { ...locked.code, tags: locked.tags, logoName: locked.logoName } : null;
}

function definedOf<T extends object>(values: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

/** The values recorded in the history of a code. */
function textsOf(code: Kept) {
  return [
    ['content', displayedContent(code)],
    ['subject', code.subject],
    ['body', code.body],
    ['visibility', code.visibility],
    ['name', code.name ?? ''],
    ['tags', code.tags.join(', ')],
    ['archived', String(code.archivedAt !== null)],
    ['style', styleText(code.style)],
    ['logo', logoText(code)],
  ] as const;
}
