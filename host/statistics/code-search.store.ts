import { sql } from 'drizzle-orm';
import { FOUND_AT_ONCE, type FoundCode, SEARCHED_AT_ONCE } from '#contract/statistics-codes';
import { readSlug } from '#host/codes/slugs';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/rows';

/**
 * Codes of an account whose name or content has the text in it, or whose link ends in it; newest first. Looks at so many numbers
 * at most, because no index finds a text in the middle of another; `next` is where the next look begins.
 */
export async function findCodesByText(
  orm: Orm,
  accountId: string,
  { text, before }: { text: string; before?: number | undefined },
): Promise<{ codes: FoundCode[]; next: number | null }> {
  const start = before ?? (await readLastNumber(orm, accountId)) + 1;
  const end = Math.max(0, start - SEARCHED_AT_ONCE);
  const rows = await readRows<FoundCode & { number: number }>(
    orm,
    // The regular expression is the text as it stands (`***=`); it minds no case, at a tenth of the cost of `ilike`.
    sql`select number, id, type, name, content from codes
    where account_id = ${accountId} and deleted_at is null and number < ${start} and number >= ${end}
      and (content ~* ${`***=${text}`} or name ~* ${`***=${text}`} or slug = ${slugIn(text)})
    order by number desc limit ${FOUND_AT_ONCE + 1}`,
  );
  const found = rows.slice(0, FOUND_AT_ONCE);
  const last = rows.length > FOUND_AT_ONCE ? found.at(-1)?.number : undefined;
  return {
    codes: found.map(({ number: _number, ...code }) => code),
    next: last ?? (end > 1 ? end : null),
  };
}

async function readLastNumber(orm: Orm, accountId: string): Promise<number> {
  const [account] = await readRows<{ number: number }>(
    orm,
    sql`select last_code_number as number from accounts where id = ${accountId}`,
  );
  return account?.number ?? 0;
}

/** The code that a printed or copied address names. */
function slugIn(text: string): string | null {
  return readSlug(text.split('/').at(-1) ?? '');
}
