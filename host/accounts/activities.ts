import { randomUUID } from 'node:crypto';
import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Activity } from '#contract/dashboard';
import { activities } from '#host/db/accounts.tables';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';

type ActivityType = typeof activities.$inferInsert.type;

/** Writes what the dashboard shows as recent activity; `about` are the codes that something was done to. */
export async function recordActivity(
  orm: Orm,
  accountId: string,
  type: ActivityType,
  at: Date,
  about: { codeId?: string; codes?: number } = {},
): Promise<void> {
  const { codeId = null, codes: count = codeId === null ? 0 : 1 } = about;
  await orm.insert(activities).values({ id: randomUUID(), accountId, type, at, codeId, codes: count });
}

/** The newest activities of an account, newest first. */
export async function listActivities(orm: Orm, accountId: string, limit: number): Promise<Activity[]> {
  const rows = await orm
    .select({
      type: activities.type,
      at: activities.at,
      codes: activities.codes,
      code: { id: codes.id, type: codes.type, name: codes.name, content: codes.content },
    })
    .from(activities)
    .leftJoin(codes, and(eq(codes.id, activities.codeId), isNull(codes.deletedAt)))
    .where(eq(activities.accountId, accountId))
    .orderBy(desc(activities.at), desc(activities.id))
    .limit(limit);
  return rows.map(({ at, ...activity }) => ({ ...activity, at: at.toISOString() }));
}
