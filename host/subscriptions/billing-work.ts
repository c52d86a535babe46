import type { Deps } from '#host/http/deps';
import { dropOldJobs, type Handler, type Job, type JobKind, JobQueue } from '#host/jobs/queue';
import { runCharge, syncCharge } from './charge/charges';
import { dropOldEvents, runEvent } from './charge/provider-events';
import { runRefund } from './charge/refunds';
import { mailDocument, sendRenewalNotice, sendTrialReminder } from './charge/reminders';
import { dropOldPurchases } from './contract/purchase-retention';
import { preferOrderedCard, updateCustomerEmail } from './customers';
import { runDeclaration } from './declaration/declare';
import { endObjectionPeriod } from './declaration/waiting';
import { abandonOrder, completeHeldOrder, completeOrder } from './order/completion';
import { discardOrder } from './order/held';
import { findOrder } from './order/store';

/** Runs what is due by the database's clock, so that a host whose own clock is wrong charges nobody. */
export async function runDueBilling(deps: Deps, stopping?: AbortSignal): Promise<void> {
  await deps.clock.synchronize?.(deps.db.orm);
  await runBilling(deps, deps.clock.now(), stopping);
}

/** Runs everything that is due. Any number of nodes may call it at the same time. */
export async function runBilling(deps: Deps, now: Date, stopping?: AbortSignal): Promise<void> {
  await deps.payments.deliver?.(now);
  const count = await queueOf(deps).runDue(now, stopping);
  if (count > 0) await deps.payments.deliver?.(now);
}

/** When the next piece of work falls due, at most `until`. */
export async function nextBillingAt(deps: Deps, until: Date): Promise<Date | null> {
  const times = [await queueOf(deps).nextAt(until), await deps.payments.nextDelivery?.(until)];
  const dates = times.filter((at) => at instanceof Date);
  return dates.length > 0 ? new Date(Math.min(...dates.map(Number))) : null;
}

/** Runs one job now; does nothing if it is already done or another node is working on it. */
export async function runBillingJob(deps: Deps, key: string, now: Date): Promise<void> {
  await queueOf(deps).run(key, now);
}

async function runBillingJobs(deps: Deps, keys: string[], now: Date): Promise<void> {
  for (const key of keys) await runBillingJob(deps, key, now);
}

/** Advances an order as far as is possible now. */
export async function advanceOrder(deps: Deps, orderId: string, now: Date): Promise<void> {
  await runBillingJobs(deps, await completeOrder(deps, orderId, now), now);
}

/** The same for a held order that the owner of its address has confirmed. */
export async function confirmOrder(deps: Deps, orderId: string, now: Date): Promise<void> {
  await runBillingJobs(deps, await completeHeldOrder(deps, orderId, now), now);
}

export async function dropOldBilling(deps: Deps, now: Date): Promise<void> {
  await dropOldJobs(deps.db.orm, now);
  await dropOldEvents(deps, now);
  await dropOldPurchases(deps.db.orm, now);
}

type BillingKind =
  | Exclude<JobKind, 'visit_erasure' | 'routing' | 'webhook_visits' | `${string}_mail`>
  | 'document_mail';

function queueOf(deps: Deps) {
  const handlers: Record<BillingKind, Handler> = {
    charge: (job, now) => runCharge(deps, job, now),
    charge_check: (job, now) => checkCharge(deps, job, now),
    document_mail: (job, now) => mailDocument(deps, job, now),
    trial_reminder: (job, now) => sendTrialReminder(deps, job, now),
    renewal_notice: (job, now) => sendRenewalNotice(deps, job, now),
    refund: (job, now) => runRefund(deps, job, now),
    order_expiry: (job, now) => expireOrder(deps, job, now),
    confirmation_expiry: (job, now) => discardOrder(deps, job.subject, 'unconfirmed', now),
    declaration: (job, now) => runDeclaration(deps, job, now),
    declaration_effect: (job, now) => endObjectionPeriod(deps, job, now),
    customer_email: (job) => updateCustomerEmail(deps, job),
    prefer_card: (job) => preferOrderedCard(deps, job),
    forget_customer: (job) => deps.payments.forgetCustomer(job.subject),
    event: async (job, now) => {
      await runBillingJobs(deps, await runEvent(deps, job, now), now);
    },
  };
  return new JobQueue(deps, handlers);
}

/** Runs if no webhook has said how a charge ended. */
async function checkCharge(deps: Deps, job: Job, now: Date): Promise<void> {
  await syncCharge(deps, job.subject, now);
}

/** Expires an unfinished order; one that was paid at the last moment is carried out after all. */
async function expireOrder(deps: Deps, job: Job, now: Date): Promise<void> {
  await advanceOrder(deps, job.subject, now);
  const order = await findOrder(deps.db.orm, job.subject);
  if (order?.status !== 'incomplete' || order.subscriptionId) return;
  await abandonOrder(deps.db.orm, order, order.failure ?? 'expired', now);
}
