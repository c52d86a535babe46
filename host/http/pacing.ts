import { sql } from 'drizzle-orm';
import { rateLimits } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { growing, limitKeys } from '#host/http/rate-limit';

/**
 * How often something may happen: `burst` times at once, then once in `spacingSeconds`; twice as often from the /56 of an
 * IPv6 address as from its /64, and four times from its /48.
 */
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
export async function takeTurn(orm: Orm, { name, ...pace }: Pace, key: string, now: Date): Promise<Date> {
  let turn = now;
  for (const [level, rowKey] of limitKeys(name, key).entries()) {
    const burst = growing(pace.burst, level);
    const spacingSeconds = pace.spacingSeconds / growing(1, level);
    const one = await turnOf(orm, rowKey, { burst, spacingSeconds }, now);
    if (one > turn) turn = one;
  }
  return turn;
}

async function turnOf(
  orm: Orm,
  rowKey: string,
  { burst, spacingSeconds }: Omit<Pace, 'name'>,
  now: Date,
): Promise<Date> {
  const spacingMs = spacingSeconds * 1000;
  const resetsAt = new Date(now.getTime() + spacingMs);
  const at = sql`${now.toISOString()}::timestamptz`;
  const [row] = await orm
    .insert(rateLimits)
    .values({ key: rowKey, points: 1, resetsAt })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        resetsAt: sql`greatest(${rateLimits.resetsAt}, ${at}) + make_interval(secs => ${spacingSeconds}::double precision)`,
      },
    })
    .returning({ resetsAt: rateLimits.resetsAt });
  const turn = (row?.resetsAt ?? resetsAt).getTime() - burst * spacingMs;
  return new Date(Math.max(now.getTime(), turn));
}
