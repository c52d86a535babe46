import { type SQL, sql } from 'drizzle-orm';
import type { Campaign } from '#contract/campaign';
import type { CodeFilter } from '#contract/codes';
import { foldLabel, searchKey } from '#contract/labels';
import { failingIds } from '#host/codes/code/destination';
import { readSlug } from '#host/codes/code/slugs';
import { isMadeBy } from '#host/codes/import/store';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';

/** The values that lists are filtered and sorted by. */
export interface IndexedRow {
  id: string;
  number: number;
  type: string;
  visibility: string;
  isArchived: boolean;
  isCounted: boolean;
  isDeleted: boolean;
  name: string | null;
  content: string;
  slug: string;
  /** Null if it has no parameters. */
  campaign: Campaign | null;
  /** The first one; null without parameters. */
  tag: string | null;
  /** As PostgreSQL writes an array: `{1,2}`. */
  tagIds: string;
  /** Human visits only. */
  visits: number;
  /** Microseconds since 1970; null if never visited. */
  lastAt: number | null;
}

export interface Changes {
  /** Everything committed before these changes were read is in them, or was written before this position. */
  position: number;
  rows: IndexedRow[] | null;
}

const COLUMNS = sql`codes.id, number, type, visibility, archived_at is not null as "isArchived",
  is_counted as "isCounted", deleted_at is not null as "isDeleted", name, content, slug, campaign,
  (select label from tags where tags.id = tag_ids[1] and campaign is not null) as tag, tag_ids::text as "tagIds",
  coalesce(scans + clicks, 0) as visits, (extract(epoch from last_at) * 1000000)::bigint as "lastAt"`;

/** All transactions with lower numbers than this have ended. */
const POSITION = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
const END = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

export async function readPosition(orm: Orm): Promise<number> {
  const [row] = await readRows<{ position: number }>(orm, sql`select ${POSITION} as position`);
  return row?.position ?? 0;
}

/** Up to `limit` codes of an account with lower numbers than this one, highest first. */
export async function readCodesBefore(
  orm: Orm,
  accountId: string,
  before: number,
  limit: number,
): Promise<IndexedRow[]> {
  return readRows<IndexedRow>(
    orm,
    sql`select ${COLUMNS} from codes left join code_totals on code_id = codes.id
    where codes.account_id = ${accountId} and deleted_at is null and number < ${before}
    order by number desc limit ${limit}`,
  );
}

/**
 * Codes of an account that were written or counted since a position, read in one statement and so from one snapshot.
 * Rows copied from another database, as after a move, can have higher numbers than any transaction of this one.
 */
export async function readChanges(orm: Orm, accountId: string, since: number): Promise<Changes> {
  const [changes] = await readRows<Changes>(
    orm,
    sql`with changed as (
      select id from codes where account_id = ${accountId} and written_in >= ${since} and written_in < ${END}
      union
      select code_id from code_totals where account_id = ${accountId} and counted_in >= ${since}::bigint / 1024
        and counted_in <= ${END} / 1024 and age(xmin) <= age(${String(since)}::xid8::xid)
    )
    select ${POSITION} as position, (
      select json_agg(one) from (
        select ${COLUMNS} from changed join codes using (id) left join code_totals on code_id = codes.id
        where codes.account_id = ${accountId}
      ) as one
    ) as rows`,
  );
  return changes ?? { position: since, rows: null };
}

/** What the texts of a filter refer to in the database. */
export interface Named {
  /** The requested tag; null if the account has none by that name. */
  tagId: number | null;
  /** Tags that contain the searched text. */
  tagIds: number[];
  /** The code whose address ends with the searched text. */
  codeId: string | null;
  /** The codes of the requested import; null if none is. */
  importedIds: string[] | null;
  /** The codes with a destination that fails, if only they are wanted. */
  failingIds: string[] | null;
}

export async function readNamed(
  orm: Orm,
  accountId: string,
  { tag, search, show, import: importId }: Pick<CodeFilter, 'tag' | 'search' | 'show' | 'import'>,
  now: Date,
): Promise<Named> {
  const none: Named = { tagId: null, tagIds: [], codeId: null, importedIds: null, failingIds: null };
  const isFailing = show === 'failing';
  const searched = searchKey(search);
  const isSearched: SQL = searched ? sql`strpos(key, ${searched}) > 0` : sql`false`;
  if (tag === '' && search === '' && !importId && !isFailing) return none;
  const isImported: SQL = importId ? isMadeBy(importId) : sql`false`;
  const [named] = await readRows<Named>(
    orm,
    sql`select
      (select id from tags where account_id = ${accountId} and key = ${foldLabel(tag)}) as "tagId",
      array(select id from tags where account_id = ${accountId} and ${isSearched}) as "tagIds",
      (select id from codes where account_id = ${accountId} and slug = ${readSlug(search.split('/').at(-1) ?? '')})
        as "codeId",
      array(select id from codes where account_id = ${accountId} and ${isImported}) as "importedIds",
      ${isFailing ? sql`array(${failingIds(accountId, now)})` : sql`null`} as "failingIds"`,
  );
  return named ? { ...named, importedIds: importId ? named.importedIds : null } : none;
}
