import { DAY_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import type { codes, StoredEnd } from '#host/db/codes.tables';
import { jobs } from '#host/db/jobs.tables';
import { NO_FAILURE } from '#host/jobs/queue';

/** How long before its end the owner of a code is told. */
const NOTICE_MS = 3 * DAY_MS;

/** When the owner is told that the moment of an end is near; null if it was set later than that. */
export function noticeAt({ at, setAt }: Pick<StoredEnd, 'at' | 'setAt'>): number | null {
  const notice = at === null ? null : Date.parse(at) - NOTICE_MS;
  return notice !== null && notice > Date.parse(setAt) ? notice : null;
}

/** Has the first thing done that falls due in a code after a time. A code has one job, which finds out what it is. */
export async function scheduleRouting(
  orm: Orm,
  { id, routing }: Pick<typeof codes.$inferSelect, 'id' | 'routing'>,
  after: Date,
): Promise<void> {
  const { schedule, end } = routing ?? {};
  const moments = [schedule && Date.parse(schedule.at), end && noticeAt(end), end?.at && Date.parse(end.at)];
  const ahead = moments.filter((at) => typeof at === 'number').filter((at) => at > after.getTime());
  if (ahead.length > 0) await dueRouting(orm, id, new Date(Math.min(...ahead)));
}

/** Has what is overdue in a code done that is new or was brought back, and then the next thing when it falls due. */
export async function resumeRouting(
  orm: Orm,
  { id, routing }: Pick<typeof codes.$inferSelect, 'id' | 'routing'>,
  now: Date,
): Promise<void> {
  if (routing?.schedule || routing?.end) await dueRouting(orm, id, now);
}

/** Postpones or expedites the job of a code, or adds it. */
async function dueRouting(orm: Orm, codeId: string, dueAt: Date): Promise<void> {
  await orm
    .insert(jobs)
    .values({ kind: 'routing', subject: codeId, dedupeKey: `routing:${codeId}`, dueAt })
    .onConflictDoUpdate({
      target: jobs.dedupeKey,
      set: { dueAt, doneAt: null, claimedUntil: null, ...NO_FAILURE },
    });
}
