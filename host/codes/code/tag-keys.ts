import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm';
import { foldLabel, readTags } from '#contract/labels';
import type { Database, Orm } from '#host/db/client';
import { tags } from '#host/db/codes.tables';
import { runSequentially } from '#host/http/background';
import { lockOwner } from './store';

const BATCH = 1_000;

/**
 * Gives tags that an earlier release stored the keys that `foldLabel` makes now, without which they would not be found;
 * tags of an account that are then equal become one. Keys of ASCII characters never change.
 */
export async function renewTagKeys({ orm }: Database, stopping: AbortSignal): Promise<void> {
  for (let after = 0; !stopping.aborted; ) {
    const rows = await orm
      .select()
      .from(tags)
      .where(and(gt(tags.id, after), sql`octet_length(${tags.key}) > char_length(${tags.key})`))
      .orderBy(asc(tags.id))
      .limit(BATCH);
    const stale = rows.filter(({ key, label }) => key !== foldLabel(label));
    const accountIds = [...new Set(stale.map(({ accountId }) => accountId))];
    await runSequentially(accountIds, (accountId) => renewKeysOf(orm, accountId));
    after = rows.at(-1)?.id ?? after;
    if (rows.length < BATCH) return;
  }
}

async function renewKeysOf(orm: Orm, accountId: string): Promise<void> {
  await orm.transaction(async (transaction) => {
    if (!(await lockOwner(transaction, accountId))) return;
    const rows = await transaction
      .select({ id: tags.id, key: tags.key, label: tags.label })
      .from(tags)
      .where(eq(tags.accountId, accountId))
      .orderBy(asc(tags.id));
    for (const key of new Set(rows.map(({ label }) => foldLabel(label)))) {
      const [kept, ...others] = rows.filter(({ label }) => foldLabel(label) === key);
      if (!kept || (kept.key === key && others.length === 0)) continue;
      const otherIds = others.map(({ id }) => id);
      if (otherIds.length > 0) await mergeTags(transaction, accountId, kept.id, otherIds);
      const read = readTags([kept.label]);
      const label = ('tags' in read && read.tags[0]) || kept.label;
      await transaction.update(tags).set({ key, label }).where(eq(tags.id, kept.id));
    }
  });
}

/** Puts one tag in the place of others, which are dropped. The account must be locked. */
async function mergeTags(orm: Orm, accountId: string, kept: number, others: number[]): Promise<void> {
  const ids = sql`${sql.param(others)}::int[]`;
  await orm.execute(sql`
    update codes set tag_ids = array(
      select id from (
        select case when id = any (${ids}) then ${kept}::int else id end as id, position
        from unnest(tag_ids) with ordinality as tag (id, position)
      ) as renamed group by id order by min(position)
    ) where account_id = ${accountId} and tag_ids && ${ids}`);
  await orm.delete(tags).where(inArray(tags.id, others));
  await orm.execute(sql`
    update tags set codes = listed.codes, archived = listed.archived from (
      select count(*) filter (where archived_at is null)::int as codes, count(archived_at)::int as archived from codes
      where account_id = ${accountId} and deleted_at is null and tag_ids @> array[${kept}::int]
    ) as listed where tags.id = ${kept}`);
}
