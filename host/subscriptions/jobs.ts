import { randomUUID } from 'node:crypto';
import { and, eq, gt, isNull, lt, lte, min, or, type SQL, sql } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { DEDUPE_RETENTION_MS } from '#host/db/dedupe-retention';
import { billingJobs } from '#host/db/subscriptions.tables';
import type { Deps } from '#host/http/deps';
import type { SubscriptionRow } from './subscriptions.store';

export type Job = Pick<
  typeof billingJobs.$inferSelect,
  'id' | 'kind' | 'subject' | 'subscriptionId' | 'period' | 'planned' | 'dedupeKey' | 'dueAt'
>;
export type JobKind = Job['kind'];

/** Does one job. It may be called again for a job that was done: whatever it finds done already stays as it is. */
export type Handler = (job: Job, now: Date) => Promise<void>;

/** A job is claimed for so long, and claimed again while its node lives: that of a node that died is soon free. */
const CLAIM_SECONDS = 25;
const RENEW_MS = 8_000;
/** Waits after an error, by the clock of the database. */
const BACKOFF_SECONDS = [5, 30, 120, 600, 1800];

type NewJob = Pick<Job, 'kind' | 'subject' | 'dedupeKey' | 'dueAt'> &
  Partial<Pick<Job, 'subscriptionId' | 'period' | 'planned'>>;

/** Enqueues a job in the transaction of what it follows from; a second one with the same key is not enqueued. */
export async function enqueueJob(orm: Orm, job: NewJob): Promise<void> {
  await orm
    .insert(billingJobs)
    .values({ id: randomUUID(), ...job })
    .onConflictDoNothing({ target: billingJobs.dedupeKey });
}

/**
 * Enqueues the charge of a contract's next period: one of the planned attempts, or one between them with another card.
 * Returns its key.
 */
export async function enqueueCharge(
  orm: Orm,
  { accountId: subject, id: subscriptionId, nextPeriod: period }: SubscriptionRow,
  attempt: { planned: number } | { card: string },
  dueAt: Date,
): Promise<string> {
  const [planned, name] =
    'planned' in attempt ? [attempt.planned, attempt.planned] : [null, `card-${attempt.card}`];
  const dedupeKey = `charge:${subscriptionId}:${period}:${name}`;
  await enqueueJob(orm, { kind: 'charge', subject, subscriptionId, period, planned, dedupeKey, dueAt });
  return dedupeKey;
}

/** Whether the contract is still the one that a job is about, and the period still its next one. */
export function isAbout(job: Job, { id, nextPeriod }: SubscriptionRow): boolean {
  return job.subscriptionId === id && job.period === nextPeriod;
}

/** A job and which claim on it this is: by the number of the attempt a node knows whether it still has the job. */
type ClaimedJob = Job & Pick<typeof billingJobs.$inferSelect, 'attempts'>;
type Outside = Pick<Deps, 'db' | 'log'>;

/**
 * Does every due job, those that fall due by it included, until there is none or the host stops. Any number of nodes
 * may: each claims the job it is at, and no other, so that none waits for its turn with its claim running out.
 */
export async function runDueJobs(
  deps: Outside,
  handlers: Record<JobKind, Handler>,
  now: Date,
  stopping?: AbortSignal,
): Promise<void> {
  while (!stopping?.aborted) {
    const job = await claim(deps.db.orm, lte(billingJobs.dueAt, now));
    if (!job) return;
    await run(deps, handlers, job, now);
  }
}

/** Does one job at once, unless it was done or another node is at it. */
export async function runJob(
  deps: Outside,
  handlers: Record<JobKind, Handler>,
  dedupeKey: string,
  now: Date,
): Promise<void> {
  const isDue = and(eq(billingJobs.dedupeKey, dedupeKey), lte(billingJobs.dueAt, now));
  const job = await claim(deps.db.orm, isDue);
  if (job) await run(deps, handlers, job, now);
}

/** The first of these jobs that nobody is at; its row is this node's for a while. */
async function claim(orm: Orm, which: ReturnType<typeof and>): Promise<ClaimedJob | null> {
  const due = orm
    .select({ id: billingJobs.id })
    .from(billingJobs)
    .where(
      and(
        which,
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

async function run(
  { db, log }: Outside,
  handlers: Record<JobKind, Handler>,
  job: ClaimedJob,
  now: Date,
): Promise<void> {
  const isJob = eq(billingJobs.id, job.id);
  const isOurs = and(isJob, eq(billingJobs.attempts, job.attempts), isNull(billingJobs.doneAt));
  const renewal = setInterval(() => {
    db.orm
      .update(billingJobs)
      .set({ claimedUntil: inSeconds(CLAIM_SECONDS) })
      .where(isOurs)
      .catch((error: unknown) =>
        log.warn({ err: error, job: job.dedupeKey }, 'claim on a billing job not renewed'),
      );
  }, RENEW_MS);
  try {
    await handlers[job.kind](job, now);
  } catch (thrown) {
    log.error({ err: thrown, job: job.dedupeKey }, 'billing job failed, will be tried again');
    const lastError = thrown instanceof Error ? thrown.message.slice(0, 300) : 'unknown';
    const waits = sql`(array[${sql.raw(BACKOFF_SECONDS.join(','))}])[least(${billingJobs.attempts}, ${sql.raw(String(BACKOFF_SECONDS.length))})]`;
    await db.orm
      .update(billingJobs)
      .set({ lastError, claimedUntil: inSeconds(waits) })
      .where(isOurs);
    return;
  } finally {
    clearInterval(renewal);
  }
  // One that was put off meanwhile is still to be done.
  await db.orm
    .update(billingJobs)
    .set({ doneAt: now, claimedUntil: null, lastError: null })
    .where(and(isJob, eq(billingJobs.dueAt, job.dueAt)));
}

/** Has the job that is being done be done later instead. */
export async function postponeJob(orm: Orm, { id }: Job, dueAt: Date): Promise<void> {
  await orm.update(billingJobs).set({ dueAt, claimedUntil: null }).where(eq(billingJobs.id, id));
}

/** Makes an account's charges due now that were to be made later. */
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

/** When the next job that nobody waits for falls due, at most `until`. Jobs that wait after an error do not count. */
export async function nextJobAt(orm: Orm, until: Date): Promise<Date | null> {
  const [row] = await orm
    .select({ at: min(billingJobs.dueAt) })
    .from(billingJobs)
    .where(and(isNull(billingJobs.doneAt), isNull(billingJobs.lastError), lte(billingJobs.dueAt, until)));
  return row?.at ?? null;
}

/** When the account's card is tried next. */
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
