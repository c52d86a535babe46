import { createHash } from 'node:crypto';
import type { Orm } from '#host/db/client';
import { destinations } from '#host/db/insight.tables';

type Seen = Pick<typeof destinations.$inferInsert, 'problem' | 'status' | 'movedTo'>;

/** As if two looks at an address had seen this. */
export async function failDestination(orm: Orm, address: string, seen: Seen, now: Date): Promise<void> {
  const key = createHash('md5').update(address).digest('hex');
  const at = { nextAt: now, checkedAt: now, failingSince: now, confirmedAt: now };
  await orm.insert(destinations).values({ key, address, failures: 2, ...at, ...seen });
}
