import { and, eq, inArray, isNull, lt, lte, min, or, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/columns';
import { jobs } from '#host/db/jobs.tables';
import type { Deps } from '#host/http/deps';

export type Job = Pick<
  typeof jobs.$inferSelect,
  'id' | 'kind' | 'subject' | 'subscriptionId' | 'period' | 'planned' | 'dedupeKey' | 'dueAt'
>;
export type JobKind = Job['kind'];

/** Does one job. It must be idempotent: called again, it leaves alone what is already done. */
export type Handler = (job: Job, now: Date) => Promise<void>;

/** What a job no longer has once a run of it ended well. */
export const NO_FAILURE = { failures: 0, lastError: null } as const;

/** A claim lasts this long and is renewed while its node lives, so that jobs of a dead node are soon free. */
const CLAIM_SECONDS = 25;
const RENEW_MS = 8_000;
/** Waits after an error, by the clock of the database. */
const BACKOFF_SECONDS = [5, 30, 120, 600];
const MAX_BACKOFF_SECONDS = 1800;

type NewJob = Pick<Job, 'kind' | 'subject' | 'dedupeKey' | 'dueAt'> &
  Partial<Pick<Job, 'subscriptionId' | 'period' | 'planned'>>;

/** Enqueues a job in the transaction that causes it; ignored if its key exists. */
export async function enqueueJob(orm: Orm, job: NewJob): Promise<void> {
  await orm.insert(jobs).values(job).onConflictDoNothing({ target: jobs.dedupeKey });
}

/** Adds jobs, or expedites those of which there already is one with its key. */
export async function expediteJobs(orm: Orm, wanted: NewJob[]): Promise<void> {
  await orm
    .insert(jobs)
    .values(wanted)
    .onConflictDoUpdate({
      target: jobs.dedupeKey,
      set: { dueAt: sql`least(${jobs.dueAt}, excluded.due_at)` },
    });
}

/** A job and its claim: the attempt number tells a node whether it still holds the job. */
type ClaimedJob = Job & Pick<typeof jobs.$inferSelect, 'attempts' | 'failures'>;

/**
 * Rows that one node claims while it works on them. Claims expire by the database's own clock, so that neither another
 * node nor a jump of the product's clock can take what is being worked on.
 */
type Claimable = Record<'attempts' | 'claimedUntil', AnyPgColumn>;

export function isUnclaimed({ claimedUntil }: Claimable): SQL | undefined {
  return or(isNull(claimedUntil), lt(claimedUntil, sql`now()`));
}

/** What claims a row, and counts the attempt. */
export function claimFor({ attempts }: Claimable, seconds: number) {
  return { attempts: sql`${attempts} + 1`, claimedUntil: inSeconds(seconds) };
}

export function inSeconds(seconds: number): SQL {
  return sql`now() + make_interval(secs => ${seconds})`;
}

/** Claims jobs that no node is working on, those first that have been due longest. */
export async function claimJobs(
  orm: Orm,
  condition: SQL | undefined,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<ClaimedJob[]> {
  const due = orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(condition, isNull(jobs.doneAt), isUnclaimed(jobs)))
    .orderBy(jobs.dueAt)
    .limit(limit)
    .for('update', { skipLocked: true });
  return orm
    .update(jobs)
    .set(claimFor(jobs, seconds))
    .where(sql`${jobs.id} = any(array(${due}))`)
    .returning();
}

/** The jobs of some kinds. Any number of nodes may run them at the same time. */
export class JobQueue<Kind extends JobKind> {
  private readonly isOfKind: SQL;

  constructor(
    private readonly deps: Pick<Deps, 'db' | 'log'>,
    private readonly handlers: Record<Kind, Handler>,
  ) {
    this.isOfKind = inArray(jobs.kind, Object.keys(handlers) as Kind[]);
  }

  /**
   * Does every due job, including those that fall due meanwhile, until there is none left or the host stops. Each node
   * claims only the job it is working on, so that no claim runs out in a queue. Returns how many it ran.
   */
  async runDue(now: Date, stopping?: AbortSignal): Promise<number> {
    let count = 0;
    while (!stopping?.aborted && (await this.runFirst(now))) count += 1;
    return count;
  }

  /** Does one job at once, unless it is already done or another node is working on it. */
  async run(dedupeKey: string, now: Date): Promise<void> {
    await this.runFirst(now, eq(jobs.dedupeKey, dedupeKey));
  }

  /** When the next job falls due, at most `until`. Jobs waiting after an error do not count. */
  async nextAt(until: Date): Promise<Date | null> {
    const isNext = and(this.isOfKind, isNull(jobs.doneAt), isNull(jobs.lastError), lte(jobs.dueAt, until));
    const at = min(jobs.dueAt);
    const [row] = await this.deps.db.orm.select({ at }).from(jobs).where(isNext);
    return row?.at ?? null;
  }

  private async runFirst(now: Date, condition?: SQL): Promise<boolean> {
    const isDue = and(this.isOfKind, lte(jobs.dueAt, now), condition);
    const [job] = await claimJobs(this.deps.db.orm, isDue, { limit: 1, seconds: CLAIM_SECONDS });
    if (job) await this.runClaimed(job, now);
    return job !== undefined;
  }

  private async runClaimed(job: ClaimedJob, now: Date): Promise<void> {
    const { db, log } = this.deps;
    const isJob = eq(jobs.id, job.id);
    const isStillClaimed = and(isJob, eq(jobs.attempts, job.attempts), isNull(jobs.doneAt));
    const extend = async (seconds: number, failure?: { failures: number; lastError: string }) => {
      const claimedUntil = inSeconds(seconds);
      await db.orm
        .update(jobs)
        .set({ claimedUntil, ...failure })
        .where(isStillClaimed);
    };
    const renewal = setInterval(() => {
      extend(CLAIM_SECONDS).catch((error: unknown) =>
        log.warn({ err: error, job: job.dedupeKey }, 'claim on a job not renewed'),
      );
    }, RENEW_MS);
    try {
      await this.handlers[job.kind as Kind](job, now);
    } catch (thrown) {
      log.error({ err: thrown, job: job.dedupeKey }, 'job failed, will be retried');
      const lastError = thrown instanceof Error ? thrown.message.slice(0, 300) : 'unknown';
      const failures = job.failures + 1;
      await extend(BACKOFF_SECONDS[job.failures] ?? MAX_BACKOFF_SECONDS, { failures, lastError });
      return;
    } finally {
      clearInterval(renewal);
    }
    // A job that was postponed meanwhile is still to be done.
    await db.orm
      .update(jobs)
      .set({ doneAt: now, claimedUntil: null, ...NO_FAILURE })
      .where(and(isJob, eq(jobs.dueAt, job.dueAt)));
  }
}

/** Postpones the job in progress. */
export async function postponeJob(orm: Orm, { id }: Job, dueAt: Date): Promise<void> {
  await orm
    .update(jobs)
    .set({ dueAt, claimedUntil: null, ...NO_FAILURE })
    .where(eq(jobs.id, id));
}

/** Drops jobs that were done more than 13 months ago. */
export async function dropOldJobs(orm: Orm, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DEDUPE_RETENTION_MS);
  await orm.delete(jobs).where(lt(jobs.doneAt, before));
}
