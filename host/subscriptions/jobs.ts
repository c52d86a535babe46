import { randomUUID } from 'node:crypto';
import { and, eq, gt, isNull, lt, lte, min, or, type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/columns';
import { billingJobs } from '#host/db/subscriptions.tables';
import type { Deps } from '#host/http/deps';
import type { SavedCard } from '#host/http/payment-provider';
import { monthsOf, renewalNoticeAt } from './calendar';
import type { SubscriptionRow } from './contract/store';

export type Job = Pick<
  typeof billingJobs.$inferSelect,
  'id' | 'kind' | 'subject' | 'subscriptionId' | 'period' | 'planned' | 'dedupeKey' | 'dueAt'
>;
export type JobKind = Job['kind'];

/** Does one job. It must be idempotent: called again, it leaves alone what is already done. */
export type Handler = (job: Job, now: Date) => Promise<void>;

/** A claim lasts this long and is renewed while its node lives, so that jobs of a dead node are soon free. */
const CLAIM_SECONDS = 25;
const RENEW_MS = 8_000;
/** Waits after an error, by the clock of the database. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 1800];

type NewJob = Pick<Job, 'kind' | 'subject' | 'dedupeKey' | 'dueAt'> &
  Partial<Pick<Job, 'subscriptionId' | 'period' | 'planned'>>;

/** Enqueues a job in the transaction that causes it; ignored if its key exists. */
export async function enqueueJob(orm: Orm, job: NewJob): Promise<void> {
  await orm
    .insert(billingJobs)
    .values({ id: randomUUID(), ...job })
    .onConflictDoNothing({ target: billingJobs.dedupeKey });
}

/**
 * Enqueues the charge of a contract's next period: a planned attempt, or an extra one with another card. Returns its
 * key.
 */
export async function enqueueCharge(
  orm: Orm,
  { accountId: subject, id: subscriptionId, nextPeriod: period }: SubscriptionRow,
  attempt: { planned: number } | { card: SavedCard },
  dueAt: Date,
): Promise<string> {
  const [planned, name] =
    'planned' in attempt ? [attempt.planned, attempt.planned] : [null, nameOf(attempt.card)];
  const dedupeKey = `charge:${subscriptionId}:${period}:${name}`;
  await enqueueJob(orm, { kind: 'charge', subject, subscriptionId, period, planned, dedupeKey, dueAt });
  return dedupeKey;
}

/** A card renewed by its bank keeps its id. */
function nameOf({ methodId, last4, expMonth, expYear }: SavedCard): string {
  return `card-${methodId}-${last4}-${expMonth}-${expYear}`;
}

/**
 * Enqueues the notice that a yearly plan is about to renew; `resumedAt` is when a cancellation was withdrawn, as the
 * first such job may have found nothing to announce in the meantime.
 */
export async function enqueueRenewalNotice(
  orm: Orm,
  { accountId: subject, id: subscriptionId, nextPeriod: period, plan, periodEnd }: SubscriptionRow,
  resumedAt?: Date,
): Promise<void> {
  if (!periodEnd || monthsOf(plan) < 12) return;
  const noticeAt = renewalNoticeAt(periodEnd);
  if (resumedAt && resumedAt < noticeAt) return;
  const baseKey = `renewal-notice:${subscriptionId}:${period}`;
  const dedupeKey = resumedAt ? `${baseKey}:${resumedAt.toISOString()}` : baseKey;
  const dueAt = resumedAt ?? noticeAt;
  await enqueueJob(orm, { kind: 'renewal_notice', subject, subscriptionId, period, dedupeKey, dueAt });
}

/** Whether the account still has the job's contract, and the job's period is still the next one. */
export function isCurrentJob(job: Job, { id, nextPeriod }: SubscriptionRow): boolean {
  return job.subscriptionId === id && job.period === nextPeriod;
}

/** A job and its claim: the attempt number tells a node whether it still holds the job. */
type ClaimedJob = Job & Pick<typeof billingJobs.$inferSelect, 'attempts'>;
type JobDeps = Pick<Deps, 'db' | 'log'>;

/**
 * Does every due job, including those that fall due meanwhile, until there is none left or the host stops. Any number
 * of nodes may call it: each claims only the job it is working on, so that no claim runs out in a queue. Returns how
 * many it ran.
 */
export async function runDueJobs(
  deps: JobDeps,
  handlers: Record<JobKind, Handler>,
  now: Date,
  stopping?: AbortSignal,
): Promise<number> {
  let count = 0;
  for (; !stopping?.aborted; count += 1) {
    const job = await claimJob(deps.db.orm, lte(billingJobs.dueAt, now));
    if (!job) break;
    await runClaimed(deps, handlers, job, now);
  }
  return count;
}

/** Does one job at once, unless it is already done or another node is working on it. */
export async function runJob(
  deps: JobDeps,
  handlers: Record<JobKind, Handler>,
  dedupeKey: string,
  now: Date,
): Promise<void> {
  const isDue = and(eq(billingJobs.dedupeKey, dedupeKey), lte(billingJobs.dueAt, now));
  const job = await claimJob(deps.db.orm, isDue);
  if (job) await runClaimed(deps, handlers, job, now);
}

/** Claims the first of these jobs that no node is working on. */
async function claimJob(orm: Orm, condition: ReturnType<typeof and>): Promise<ClaimedJob | null> {
  const due = orm
    .select({ id: billingJobs.id })
    .from(billingJobs)
    .where(
      and(
        condition,
        isNull(billingJobs.doneAt),
        or(isNull(billingJobs.claimedUntil), lt(billingJobs.claimedUntil, sql`now()`)),
      ),
    )
    .orderBy(billingJobs.dueAt)
    .limit(1)
    .for('update', { skipLocked: true });
  const [job] = await orm
    .update(billingJobs)
    .set({
      attempts: sql`${billingJobs.attempts} + 1`,
      claimedUntil: inSeconds(CLAIM_SECONDS),
    })
    .where(sql`${billingJobs.id} = any(array(${due}))`)
    .returning();
  return job ?? null;
}

async function runClaimed(
  { db, log }: JobDeps,
  handlers: Record<JobKind, Handler>,
  job: ClaimedJob,
  now: Date,
): Promise<void> {
  const isJob = eq(billingJobs.id, job.id);
  const isStillClaimed = and(isJob, eq(billingJobs.attempts, job.attempts), isNull(billingJobs.doneAt));
  const renewal = setInterval(() => {
    db.orm
      .update(billingJobs)
      .set({ claimedUntil: inSeconds(CLAIM_SECONDS) })
      .where(isStillClaimed)
      .catch((error: unknown) =>
        log.warn({ err: error, job: job.dedupeKey }, 'claim on a billing job not renewed'),
      );
  }, RENEW_MS);
  try {
    await handlers[job.kind](job, now);
  } catch (thrown) {
    log.error({ err: thrown, job: job.dedupeKey }, 'billing job failed, will be retried');
    const lastError = thrown instanceof Error ? thrown.message.slice(0, 300) : 'unknown';
    const backoffSeconds = sql`(array[${sql.raw(BACKOFF_SECONDS.join(','))}])[least(${billingJobs.attempts}, ${sql.raw(String(BACKOFF_SECONDS.length))})]`;
    await db.orm
      .update(billingJobs)
      .set({ lastError, claimedUntil: inSeconds(backoffSeconds) })
      .where(isStillClaimed);
    return;
  } finally {
    clearInterval(renewal);
  }
  // A job that was postponed meanwhile is still to be done.
  await db.orm
    .update(billingJobs)
    .set({ doneAt: now, claimedUntil: null, lastError: null })
    .where(and(isJob, eq(billingJobs.dueAt, job.dueAt)));
}

/** Postpones the job in progress. */
export async function postponeJob(orm: Orm, { id }: Job, dueAt: Date): Promise<void> {
  await orm.update(billingJobs).set({ dueAt, claimedUntil: null }).where(eq(billingJobs.id, id));
}

/** Whether a job is enqueued and not done yet. */
export async function isJobPending(orm: Orm, dedupeKey: string): Promise<boolean> {
  const found = await orm
    .select({ id: billingJobs.id })
    .from(billingJobs)
    .where(and(eq(billingJobs.dedupeKey, dedupeKey), isNull(billingJobs.doneAt)));
  return found.length > 0;
}

/** Makes an account's future charges due now. */
export async function expediteCharges(orm: Orm, accountId: string, now: Date): Promise<void> {
  await orm
    .update(billingJobs)
    .set({ dueAt: now })
    .where(
      and(
        isNull(billingJobs.doneAt),
        eq(billingJobs.kind, 'charge'),
        eq(billingJobs.subject, accountId),
        gt(billingJobs.dueAt, now),
      ),
    );
}

function inSeconds(seconds: number | SQL): SQL {
  return sql`now() + make_interval(secs => ${seconds})`;
}

/** When the next job falls due, at most `until`. Jobs waiting after an error do not count. */
export async function nextJobAt(orm: Orm, until: Date): Promise<Date | null> {
  const [row] = await orm
    .select({ at: min(billingJobs.dueAt) })
    .from(billingJobs)
    .where(and(isNull(billingJobs.doneAt), isNull(billingJobs.lastError), lte(billingJobs.dueAt, until)));
  return row?.at ?? null;
}

/** When the account's card is charged next. */
export async function nextChargeAt(orm: Orm, accountId: string): Promise<Date | null> {
  const [row] = await orm
    .select({ at: min(billingJobs.dueAt) })
    .from(billingJobs)
    .where(
      and(isNull(billingJobs.doneAt), eq(billingJobs.kind, 'charge'), eq(billingJobs.subject, accountId)),
    );
  return row?.at ?? null;
}

/** Drops jobs that were done more than 13 months ago. */
export async function dropOldJobs(orm: Orm, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DEDUPE_RETENTION_MS);
  await orm.delete(billingJobs).where(lt(billingJobs.doneAt, before));
}
