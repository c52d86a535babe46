import { randomUUID } from 'node:crypto';
import { activities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';

type ActivityType = typeof activities.$inferInsert.type;

/** Writes what the dashboard shows as recent activity. */
export async function recordActivity(
  orm: Orm,
  accountId: string,
  type: ActivityType,
  at: Date,
): Promise<void> {
  await orm.insert(activities).values({ id: randomUUID(), accountId, type, at });
}
