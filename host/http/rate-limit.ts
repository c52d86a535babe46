import { sql } from 'drizzle-orm';
import { ipRateLimitKey } from '#contract/ip-rate-limit-key';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { ApiError, isRateLimited } from '#host/http/errors';

export interface RateLimit {
  name: string;
  points: number;
  windowSeconds: number;
}

/**
 * Takes one point from a window shared by all nodes; throws `rate_limited` with the seconds to wait if none is left. A
 * single upsert, so that concurrent requests cannot overspend. IP addresses are mapped by `ipRateLimitKey`.
 */
export async function consumeRateLimit(orm: Orm, limit: RateLimit, key: string, now: Date): Promise<void> {
  const resetsAt = new Date(now.getTime() + limit.windowSeconds * 1000);
  const [row] = await orm
    .insert(rateLimits)
    .values({ key: limitKey(limit.name, key), points: 1, resetsAt })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        points: sql`case when ${rateLimits.resetsAt} <= ${now.toISOString()} then 1 else ${rateLimits.points} + 1 end`,
        resetsAt: sql`case when ${rateLimits.resetsAt} <= ${now.toISOString()} then excluded.resets_at else ${rateLimits.resetsAt} end`,
      },
    })
    .returning();
  if (row && row.points > limit.points) {
    const retryAfterSeconds = Math.max(1, Math.ceil((row.resetsAt.getTime() - now.getTime()) / 1000));
    throw new ApiError('rate_limited', { retryAfterSeconds });
  }
}

/** Takes a point like `consumeRateLimit`, but returns false if none is left. */
export async function tryConsumeRateLimit(
  orm: Orm,
  limit: RateLimit,
  key: string,
  now: Date,
): Promise<boolean> {
  try {
    await consumeRateLimit(orm, limit, key, now);
    return true;
  } catch (error) {
    if (isRateLimited(error)) return false;
    throw error;
  }
}

/** Resets the window, for example after a successful sign-in. */
export async function resetRateLimit(orm: Orm, limit: RateLimit, key: string): Promise<void> {
  await orm.delete(rateLimits).where(sql`${rateLimits.key} = ${limitKey(limit.name, key)}`);
}

/** Whether all points of the window are used up; takes none. */
export async function isRateLimitReached(
  orm: Orm,
  limit: RateLimit,
  key: string,
  now: Date,
): Promise<boolean> {
  const [row] = await orm
    .select()
    .from(rateLimits)
    .where(sql`${rateLimits.key} = ${limitKey(limit.name, key)}`);
  return row !== undefined && row.resetsAt > now && row.points >= limit.points;
}

export function limitKey(name: string, key: string): string {
  return `${name}:${ipRateLimitKey(key)}`;
}
