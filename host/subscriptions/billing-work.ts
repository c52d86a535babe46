import type { Deps } from '#host/http/deps';
import { runCharge, syncCharge } from './charges';
import { completeHeldOrder, completeOrder } from './completion';
import { updateCustomerEmail } from './customers';
import { runDeclaration } from './declarations';
import { discardOrder } from './held-orders';
import { dropOldJobs, type Handler, type Job, type JobKind, nextJobAt, runDueJobs, runJob } from './jobs';
import { changeOrder, findOrder } from './orders.store';
import { dropOldEvents, runEvent } from './provider-events';
import { dropOldPurchases } from './purchase-retention';
import { runRefund } from './refunds';
import { announceRenewal, mailDocument, remindOfTrialEnd } from './reminders';
import { endObjectionPeriod } from './waiting-declarations';

/** What is due by the database's clock, which is read for it: a host whose own clock is wrong charges nobody. */
export async function runDueBilling(deps: Deps, stopping?: AbortSignal): Promise<void> {
  await deps.clock.synchronize?.(deps.db.orm);
  await runBilling(deps, deps.clock.now(), stopping);
}

/** Everything of the life cycle that is due. Any number of nodes may call it at the same time. */
export async function runBilling(deps: Deps, now: Date, stopping?: AbortSignal): Promise<void> {
  await deps.payments.deliver?.(now);
  await runDueJobs(deps, handlersOf(deps), now, stopping);
  await deps.payments.deliver?.(now);
}

/** When the next piece of it falls due, at most `until`. */
export async function nextBillingAt(deps: Deps, until: Date): Promise<Date | null> {
  const times = [await nextJobAt(deps.db.orm, until), await deps.payments.nextDelivery?.(until)];
  const known = times.filter((at) => at instanceof Date);
  return known.length > 0 ? new Date(Math.min(...known.map(Number))) : null;
}

/** One job now; nothing where it was done or another node is at it. */
export async function runBillingJob(deps: Deps, key: string, now: Date): Promise<void> {
  await runJob(deps, handlersOf(deps), key, now);
}

/** Carries an order out as far as it goes now. */
export async function advanceOrder(deps: Deps, orderId: string, now: Date): Promise<void> {
  const key = await completeOrder(deps, orderId, now);
  if (key) await runBillingJob(deps, key, now);
}

/** The same for an order that its owner confirms. */
export async function confirmOrder(deps: Deps, orderId: string, now: Date): Promise<void> {
  const key = await completeHeldOrder(deps, orderId, now);
  if (key) await runBillingJob(deps, key, now);
}

export async function dropOldBilling(deps: Deps, now: Date): Promise<void> {
  await dropOldJobs(deps.db.orm, now);
  await dropOldEvents(deps, now);
  await dropOldPurchases(deps.db.orm, now);
}

function handlersOf(deps: Deps): Record<JobKind, Handler> {
  return {
    charge: (job, now) => runCharge(deps, job, now),
    charge_check: (job, now) => checkCharge(deps, job, now),
    document_mail: (job, now) => mailDocument(deps, job, now),
    trial_reminder: (job, now) => remindOfTrialEnd(deps, job, now),
    renewal_notice: (job, now) => announceRenewal(deps, job, now),
    refund: (job, now) => runRefund(deps, job, now),
    order_expiry: (job, now) => expireOrder(deps, job, now),
    confirmation_expiry: (job, now) => discardOrder(deps, job.subject, 'unconfirmed', now),
    declaration: (job, now) => runDeclaration(deps, job, now),
    declaration_effect: (job, now) => endObjectionPeriod(deps, job, now),
    customer_email: (job) => updateCustomerEmail(deps, job),
    forget_customer: (job) => deps.payments.forgetCustomer(job.subject),
    event: async (job, now) => {
      const key = await runEvent(deps, job, now);
      if (key) await runBillingJob(deps, key, now);
    },
  };
}

/** No webhook said how a charge ended. */
async function checkCharge(deps: Deps, job: Job, now: Date): Promise<void> {
  await syncCharge(deps, job.subject, now);
}

/** An order nobody finished; one that was paid at the last moment is carried out after all. */
async function expireOrder(deps: Deps, job: Job, now: Date): Promise<void> {
  await advanceOrder(deps, job.subject, now);
  const order = await findOrder(deps.db.orm, job.subject);
  if (order?.status !== 'incomplete' || order.subscriptionId) return;
  await changeOrder(deps.db.orm, order.id, { status: 'failed', failure: order.failure ?? 'expired' });
}
