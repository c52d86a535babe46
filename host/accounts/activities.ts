import { randomUUID } from 'node:crypto';
import { desc, eq } from 'drizzle-orm';
import type { Activity } from '#contract/dashboard';
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

/** The newest activities of an account, newest first. */
export async function listActivities(orm: Orm, accountId: string, limit: number): Promise<Activity[]> {
  const rows = await orm
    .select({ type: activities.type, at: activities.at })
    .from(activities)
    .where(eq(activities.accountId, accountId))
    .orderBy(desc(activities.at), desc(activities.id))
    .limit(limit);
  return rows.map(({ type, at }) => ({ type, at: at.toISOString() }));
}
