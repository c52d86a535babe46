import { sql } from 'drizzle-orm';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { ApiError } from '#host/http/errors';
import { limitKey } from '#host/http/rate-limit';

/** Tries of which each next one has to wait twice as long: it slows down, and never shuts out. */
export interface Backoff {
  name: string;
  /** Tries that need not wait. */
  free: number;
  /** The wait after them; it doubles with every try. */
  firstSeconds: number;
  mostSeconds: number;
  /** How long after the last try all of them are forgotten. */
  memorySeconds: number;
}

/** Beyond it every wait is the longest one, whatever the settings. */
const MOST_DOUBLINGS = 20;

/** Seconds that a try has to wait after the last of so many. */
function waitAfter(tries: number, { free, firstSeconds, mostSeconds }: Backoff): number {
  if (tries < free) return 0;
  return Math.min(mostSeconds, firstSeconds * 2 ** Math.min(tries - free, MOST_DOUBLINGS));
}

/**
 * Counts a try; throws `rate_limited` with the seconds to wait where it comes too early. Those refused are not counted,
 * so whoever waits as told is let through. One upsert, so of racing requests one gets through. `key` as for `consumeRateLimit`.
 */
export async function countTry(orm: Orm, backoff: Backoff, key: string, now: Date): Promise<void> {
  const rowKey = limitKey(backoff.name, key);
  const { free, firstSeconds, mostSeconds, memorySeconds } = backoff;
  const at = sql`${now.toISOString()}::timestamptz`;
  const resetsAt = new Date(now.getTime() + memorySeconds * 1000);
  const { points } = rateLimits;
  const wait = sql`case when ${points} < ${free}::int then 0 else least(${mostSeconds}::int,
    ${firstSeconds}::int * (2 ^ least(${points} - ${free}::int, ${MOST_DOUBLINGS}::int))) end`;
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

/** Forgets the tries, for example after a successful sign-in. */
export async function forgetTries(orm: Orm, { name }: Backoff, key: string): Promise<void> {
  await orm.delete(rateLimits).where(sql`${rateLimits.key} = ${limitKey(name, key)}`);
}
