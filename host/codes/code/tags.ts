import { and, asc, eq, inArray, not, type SQL, sql } from 'drizzle-orm';
import { foldLabel, readTags, TAGS_PER_ACCOUNT } from '#contract/labels';
import type { Orm } from '#host/db/client';
import { codes, tags } from '#host/db/codes.tables';
import { readRows } from '#host/db/orm';
import type { CallerTag } from '#host/http/caller';
import { invalidField } from '#host/http/errors';

/** Whether codes have a tag that are not deleted. */
export const isInUse = sql`(${tags.codes} > 0 or ${tags.archived} > 0)`;

/**
 * Labels of the tags of a row of `codes`, in their order, as a column of a select. Each is looked up by itself, because
 * a join, or a comparison with the whole array, reads all tags for every code.
 */
export const tagLabels = sql<string[]>`array_remove(array(
  select (select ${tags.label} from ${tags} where ${tags.id} = tag.id)
  from unnest(${codes.tagIds}) with ordinality as tag (id, position) order by tag.position
), null)`;

/** The labels of these tags, in their order. */
export async function readLabels(orm: Orm, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await orm
    .select({ id: tags.id, label: tags.label })
    .from(tags)
    .where(inArray(tags.id, [...ids]));
  const labels = new Map(found.map(({ id, label }) => [id, label]));
  return ids.flatMap((id) => labels.get(id) ?? []);
}

/** Condition on codes for a caller who is limited to a tag. */
export function hasTag(tag: CallerTag | null): SQL | undefined {
  return tag ? sql`${codes.tagIds} @> array[${tag.id}]::int[]` : undefined;
}

/** Labels with one that is added at the end unless it is among them. Refuses the field `tags` with `tags_too_many`. */
export function withTag(labels: readonly string[], label: string): string[] {
  const read = readTags([...labels, label]);
  if ('problem' in read) throw invalidField('tags', read.problem);
  return read.tags;
}

/** All tags of an account in alphabetical order, with the number of codes that have each. */
export async function listTags(orm: Orm, accountId: string, within: CallerTag | null = null) {
  if (within) return listTagsBeside(orm, accountId, within);
  return orm
    .select({ tag: tags.label, codes: tags.codes, archived: tags.archived })
    .from(tags)
    .where(and(eq(tags.accountId, accountId), isInUse))
    .orderBy(asc(tags.key));
}

/** Tags of the codes that have this one, with the number of these codes. */
async function listTagsBeside(orm: Orm, accountId: string, within: CallerTag) {
  return readRows<{ tag: string; codes: number; archived: number }>(
    orm,
    sql`select label as tag, count(*) filter (where archived_at is null)::int as codes, count(archived_at)::int as archived
    from codes, unnest(codes.tag_ids) as tag_id join tags on tags.id = tag_id
    where codes.account_id = ${accountId} and codes.deleted_at is null and ${hasTag(within)}
    group by tags.id order by tags.key`,
  );
}

/**
 * Ids of these tags by key; those that the account lacks are created. Refuses the field `tags` with
 * `account_tags_too_many` if it would have too many. The account must be locked.
 */
export async function takeTags(
  orm: Orm,
  accountId: string,
  labels: readonly string[],
): Promise<Map<string, number>> {
  const labelsByKey = new Map<string, string>();
  for (const label of labels)
    if (!labelsByKey.has(foldLabel(label))) labelsByKey.set(foldLabel(label), label);
  const known = await findTags(orm, accountId, [...labelsByKey.keys()]);
  const missing = [...labelsByKey].filter(([key]) => !known.has(key));
  if (missing.length === 0) return known;
  const inUse = await orm.$count(tags, and(eq(tags.accountId, accountId), isInUse));
  if (inUse + missing.length > TAGS_PER_ACCOUNT) throw invalidField('tags', 'account_tags_too_many');
  const created = await orm
    .insert(tags)
    .values(missing.map(([key, label]) => ({ accountId, key, label })))
    .returning({ id: tags.id, key: tags.key });
  return new Map([...known, ...created.map(({ id, key }) => [key, id] as const)]);
}

/** The account's tag that equals the typed text when folded; null if there is none. */
export async function findTag(
  orm: Orm,
  accountId: string,
  entered: string,
): Promise<{ id: number; label: string } | null> {
  const [tag] = await orm
    .select({ id: tags.id, label: tags.label })
    .from(tags)
    .where(and(eq(tags.accountId, accountId), eq(tags.key, foldLabel(entered)), isInUse));
  return tag ?? null;
}

/** Ids of the given tags that the account has, by key. */
async function findTags(orm: Orm, accountId: string, keys: string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const found = await orm
    .select({ id: tags.id, key: tags.key })
    .from(tags)
    .where(and(eq(tags.accountId, accountId), inArray(tags.key, keys)));
  return new Map(found.map(({ id, key }) => [key, id]));
}

/** Ids of a code's tags, in their order, from the result of `takeTags`. */
export function idsOf(tagIds: ReadonlyMap<string, number>, labels: readonly string[]): number[] {
  return labels.flatMap((label) => tagIds.get(foldLabel(label)) ?? []);
}

/** Updates the counts of tags that codes gain or lose; a tag listed twice counts twice. The account must be locked. */
export async function countTagged(
  orm: Orm,
  ids: readonly number[],
  { isArchived, change }: { isArchived: boolean; change: 1 | -1 },
): Promise<void> {
  if (ids.length === 0) return;
  const counter = sql.identifier(isArchived ? 'archived' : 'codes');
  await orm.execute(sql`
    update tags set ${counter} = ${counter} + named.times * ${change}::int
    from (
      select id, count(*)::int as times from unnest(${sql.param([...ids])}::int[]) as id group by id
    ) as named
    where tags.id = named.id`);
}

/**
 * Drops tags of the account that no code has any more, nor a deleted one that can still be brought back. The account must
 * be locked.
 */
export async function dropUnusedTags(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(tags).where(
    and(
      eq(tags.accountId, accountId),
      not(isInUse),
      sql`not exists (
        select from codes where account_id = ${accountId} and erase_at is not null and tag_ids @> array[${tags.id}]
      )`,
    ),
  );
}

export async function dropTags(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(tags).where(eq(tags.accountId, accountId));
}
