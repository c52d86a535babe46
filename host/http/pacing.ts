import { sql } from 'drizzle-orm';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { limitKey } from '#host/http/rate-limit';

/** How often something may happen: `burst` times at once, then once in `spacingSeconds`. */
export interface Pace {
  name: string;
  burst: number;
  spacingSeconds: number;
}

/**
 * Takes the next turn and returns when it is: nobody is refused, but each further turn is later (virtual scheduling,
 * ITU-T I.371). Shared by all nodes; the row stores when a turn would be free without a burst. `key` as for
 * `consumeRateLimit`.
 */
export async function takeTurn(
  orm: Orm,
  { name, burst, spacingSeconds }: Pace,
  key: string,
  now: Date,
): Promise<Date> {
  const spacingMs = spacingSeconds * 1000;
  const resetsAt = new Date(now.getTime() + spacingMs);
  const at = sql`${now.toISOString()}::timestamptz`;
  const [row] = await orm
    .insert(rateLimits)
    .values({ key: limitKey(name, key), points: 1, resetsAt })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        resetsAt: sql`greatest(${rateLimits.resetsAt}, ${at}) + make_interval(secs => ${spacingSeconds}::int)`,
      },
    })
    .returning({ resetsAt: rateLimits.resetsAt });
  const turn = (row?.resetsAt ?? resetsAt).getTime() - burst * spacingMs;
  return new Date(Math.max(now.getTime(), turn));
}
