import { and, eq, gt, isNull, min } from 'drizzle-orm';
import type { Orm } from '#host/db/client';
import { jobs } from '#host/db/jobs.tables';
import type { SavedCard } from '#host/http/payment-provider';
import { enqueueJob, type Job } from '#host/jobs/queue';
import { monthsOf, renewalNoticeAt } from './calendar';
import type { SubscriptionRow } from './contract/store';

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
 * Enqueues the notice that a yearly plan is about to renew; `resumedAt` is when a cancellation or a change of plan was
 * taken back, as the first such job may have found nothing, or another plan, to announce in the meantime.
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

/** Whether a job is enqueued and not done yet. */
export async function isJobPending(orm: Orm, dedupeKey: string): Promise<boolean> {
  const found = await orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.dedupeKey, dedupeKey), isNull(jobs.doneAt)));
  return found.length > 0;
}

/** Charges of the next period of this contract: an earlier contract of the account may have left some. */
const isNextCharge = ({ accountId, id, nextPeriod }: SubscriptionRow) =>
  and(
    isNull(jobs.doneAt),
    eq(jobs.kind, 'charge'),
    eq(jobs.subject, accountId),
    eq(jobs.subscriptionId, id),
    eq(jobs.period, nextPeriod),
  );

/** Makes the future charges of a contract's next period due now. */
export async function expediteCharges(orm: Orm, subscription: SubscriptionRow, now: Date): Promise<void> {
  await orm
    .update(jobs)
    .set({ dueAt: now })
    .where(and(isNextCharge(subscription), gt(jobs.dueAt, now)));
}

/** When the card is charged next for the contract's next period. */
export async function nextChargeAt(orm: Orm, subscription: SubscriptionRow): Promise<Date | null> {
  const [row] = await orm
    .select({ at: min(jobs.dueAt) })
    .from(jobs)
    .where(isNextCharge(subscription));
  return row?.at ?? null;
}
