import { inArray, sql } from 'drizzle-orm';
import { HOUR_SECONDS } from '#contract/time';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { ApiError, isRateLimited } from '#host/http/errors';
import { networksOf } from '#runtime/ip-rate-limit-key';

export interface RateLimit {
  name: string;
  /** For the /64 of an IPv6 address; its /56 has twice as many, and its /48 four times. */
  points: number;
  windowSeconds: number;
}

/** What is left of a window. */
export interface RateUsage {
  remaining: number;
  resetSeconds: number;
}

export function hourly(name: string, points: number): RateLimit {
  return { name, points, windowSeconds: HOUR_SECONDS };
}

/**
 * Takes one point from a window shared by all nodes, and says what is left for the narrowest network; throws
 * `rate_limited` with the seconds to wait if none is left. A single upsert, so that concurrent requests cannot overspend.
 * The point of an IP address is taken from each of its networks.
 */
export async function consumeRateLimit(
  orm: Orm,
  limit: RateLimit,
  key: string,
  now: Date,
): Promise<RateUsage> {
  const resetsAt = new Date(now.getTime() + limit.windowSeconds * 1000);
  const keys = limitKeys(limit.name, key);
  const rows = await orm
    .insert(rateLimits)
    .values(keys.map((one) => ({ key: one, points: 1, resetsAt })))
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        points: sql`case when ${rateLimits.resetsAt} <= ${now.toISOString()} then 1 else ${rateLimits.points} + 1 end`,
        resetsAt: sql`case when ${rateLimits.resetsAt} <= ${now.toISOString()} then excluded.resets_at else ${rateLimits.resetsAt} end`,
      },
    })
    .returning();
  const used = rows.filter((row) => row.points > growing(limit.points, keys.indexOf(row.key)));
  if (used.length > 0) {
    const lastMs = Math.max(...used.map((row) => row.resetsAt.getTime()));
    const retryAfterSeconds = Math.max(1, Math.ceil((lastMs - now.getTime()) / 1000));
    throw new ApiError('rate_limited', { retryAfterSeconds, limit });
  }
  const [{ points = limit.points, resetsAt: endsAt = resetsAt } = {}] = rows;
  return {
    remaining: Math.max(0, limit.points - points),
    resetSeconds: Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000)),
  };
}

/** The limit that a request counts against: trials have one of the same size of their own. */
export function limitFor(limit: RateLimit, isTrial: boolean): RateLimit {
  return isTrial ? { ...limit, name: `${limit.name}-trial` } : limit;
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
  await orm.delete(rateLimits).where(inArray(rateLimits.key, limitKeys(limit.name, key)));
}

/** Whether all points of the window are used up; takes none. */
export async function isRateLimitReached(
  orm: Orm,
  limit: RateLimit,
  key: string,
  now: Date,
): Promise<boolean> {
  const keys = limitKeys(limit.name, key);
  const rows = await orm.select().from(rateLimits).where(inArray(rateLimits.key, keys));
  return rows.some((row) => row.resetsAt > now && row.points >= growing(limit.points, keys.indexOf(row.key)));
}

/** Keys of the rows of a limit, one for each network of an IP address, narrowest first. */
export function limitKeys(name: string, key: string): string[] {
  return networksOf(key).map((network) => `${name}:${network}`);
}

/** What applies to a network of this level, counted from 0 for the narrowest. */
export function growing(points: number, level: number): number {
  return points * 2 ** level;
}
