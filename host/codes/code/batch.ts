import { sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { readRows } from '#host/db/orm';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { createCodes, type NewDesign } from './create';
import { type CodeRow, readCodes } from './store';

/** An arbitrary number, the same in all hosts. */
const BATCH_LOCK = 5_120_731;

/**
 * Creates the codes of a batch, all or none, and returns them in their order. Refuses `/codes` with
 * `account_tags_too_many`, and throws `rate_limited` while another batch of the account is running.
 */
export async function createBatch(
  orm: Orm,
  deps: Pick<Deps, 'random'>,
  accountId: string,
  designs: readonly NewDesign[],
  now: Date,
): Promise<CodeRow[]> {
  return orm.transaction(async (transaction) => {
    await requireTurn(transaction, accountId);
    const created = await createCodes(transaction, deps, accountId, designs, { now }).catch(pointAtAll);
    return readCodes(
      transaction,
      accountId,
      created.map(({ id }) => id),
    );
  });
}

/**
 * Throws `rate_limited` while a batch of the account is running; in a transaction, this one is running from now on. Those
 * that wait for the account would keep connections from others.
 */
export async function requireTurn(orm: Orm, accountId: string): Promise<void> {
  const [turn] = await readRows<{ isFree: boolean }>(
    orm,
    sql`select pg_try_advisory_xact_lock(hashtextextended(${accountId}, ${BATCH_LOCK})) as "isFree"`,
  );
  if (!turn?.isFree) throw new ApiError('rate_limited', { retryAfterSeconds: 1 });
}

/** The tags of all codes together are too many. */
function pointAtAll(thrown: unknown): never {
  const codes = thrown instanceof ApiError ? thrown.fields?.tags : undefined;
  throw codes ? new ApiError('invalid', { fields: { codes } }) : thrown;
}
