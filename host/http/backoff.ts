import { inArray, sql } from 'drizzle-orm';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { ApiError } from '#host/http/errors';
import { growing, limitKeys } from '#host/http/rate-limit';

/** Exponential backoff: each further attempt has to wait twice as long, but nobody is locked out. */
export interface Backoff {
  name: string;
  /** What is attempted, if it is counted apart. */
  target?: string;
  /** Attempts without a wait: those of the /64 of an IPv6 address; its /56 has twice as many, and its /48 four times. */
  free: number;
  /** The wait after them; it doubles with every attempt. */
  firstSeconds: number;
  maxSeconds: number;
  /** How long after the last attempt the count is reset. */
  memorySeconds: number;
}

/** Keeps the power of two in range; `mostSeconds` caps the wait long before. */
const MAX_DOUBLINGS = 20;

/** Seconds to wait after so many attempts. */
function waitAfter(attempts: number, { free, firstSeconds, maxSeconds }: Backoff): number {
  if (attempts < free) return 0;
  return Math.min(maxSeconds, firstSeconds * 2 ** Math.min(attempts - free, MAX_DOUBLINGS));
}

/**
 * Counts an attempt; throws `rate_limited` with the seconds to wait if it comes too early. Refused attempts are not
 * counted, so that one after the stated wait succeeds. `key` as for `consumeRateLimit`.
 */
export async function countBackoff(orm: Orm, backoff: Backoff, key: string, now: Date): Promise<void> {
  const keys = keysOf(backoff, key);
  const countAll = async (within: Orm) => {
    for (const [level, rowKey] of keys.entries())
      await countOne(within, { ...backoff, free: growing(backoff.free, level) }, rowKey, now);
  };
  // Rolled back as a whole when one network of the address has to wait.
  await (keys.length > 1 ? orm.transaction(countAll) : countAll(orm));
}

/** A single upsert: of concurrent requests only one gets through. */
async function countOne(orm: Orm, backoff: Backoff, rowKey: string, now: Date): Promise<void> {
  const { free, firstSeconds, maxSeconds, memorySeconds } = backoff;
  const at = sql`${now.toISOString()}::timestamptz`;
  const resetsAt = new Date(now.getTime() + memorySeconds * 1000);
  const { points } = rateLimits;
  const wait = sql`case when ${points} < ${free}::int then 0 else least(${maxSeconds}::int,
    ${firstSeconds}::int * (2 ^ least(${points} - ${free}::int, ${MAX_DOUBLINGS}::int))) end`;
  const isForgotten = sql`${rateLimits.resetsAt} <= ${at}`;
  const lastTry = sql`${rateLimits.resetsAt} - make_interval(secs => ${memorySeconds}::int)`;
  const [counted] = await orm
    .insert(rateLimits)
    .values({ key: rowKey, points: 1, resetsAt })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: { points: sql`case when ${isForgotten} then 1 else ${points} + 1 end`, resetsAt },
      setWhere: sql`${isForgotten} or ${lastTry} + make_interval(secs => ${wait}) <= ${at}`,
    })
    .returning({ points });
  if (counted) return;
  const [row] = await orm.select().from(rateLimits).where(sql`${rateLimits.key} = ${rowKey}`);
  const triedAt = (row?.resetsAt.getTime() ?? 0) - memorySeconds * 1000;
  const waitMs = triedAt + waitAfter(row?.points ?? 0, backoff) * 1000 - now.getTime();
  throw new ApiError('rate_limited', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

/** Resets the count, for example after a successful sign-in. */
export async function resetBackoff(orm: Orm, backoff: Backoff, key: string): Promise<void> {
  await orm.delete(rateLimits).where(inArray(rateLimits.key, keysOf(backoff, key)));
}

function keysOf({ name, target }: Backoff, key: string): string[] {
  return limitKeys(target === undefined ? name : `${name}:${target}`, key);
}
