import { eq, type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { codeBlocks } from '#host/db/codes.tables';

/**
 * Codes of an account are numbered in sequence. Each block covers this many numbers and counts the codes still listed.
 */
const BLOCK_NUMBERS = 500;

/**
 * Ids of one page of an account's codes in use, newest first. Blocks say where a page begins, so that the last page of
 * 100,000 codes costs no more than the first.
 */
export function pageOfCodes(accountId: string, offset: number, limit: number): SQL {
  return sql`
    with placed as (
      select block, sum(codes) over (order by block desc) - codes as before from code_blocks
      where account_id = ${accountId} and codes > 0
    ), start as (
      select block, before from placed where before <= ${offset} order by before desc limit 1
    )
    select own.id from start, lateral (
      select id from codes
      where account_id = ${accountId} and deleted_at is null and archived_at is null and number < (start.block + 1) * ${BLOCK_NUMBERS}
      order by number desc limit ${limit} offset ${offset} - start.before
    ) as own`;
}

/** Counts codes that enter or leave the list. Call it in the transaction that changes them. */
export async function countInBlocks(
  orm: Orm,
  accountId: string,
  counted: readonly { number: number }[],
  change: 1 | -1,
): Promise<void> {
  const blocks = new Map<number, number>();
  for (const { number } of counted) {
    const block = Math.floor(number / BLOCK_NUMBERS);
    blocks.set(block, (blocks.get(block) ?? 0) + change);
  }
  await orm
    .insert(codeBlocks)
    .values([...blocks].map(([block, changed]) => ({ accountId, block, codes: changed })))
    .onConflictDoUpdate({
      target: [codeBlocks.accountId, codeBlocks.block],
      set: { codes: sql`${codeBlocks.codes} + excluded.codes` },
    });
}

export async function dropBlocks(orm: Orm, accountId: string): Promise<void> {
  await orm.delete(codeBlocks).where(eq(codeBlocks.accountId, accountId));
}
