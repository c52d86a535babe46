import type { Deps } from '#host/http/deps';
import { runCharge, syncCharge } from './charges';
import { completeHeldOrder, completeOrder } from './completion';
import { tellNewEmail } from './customers';
import { runDeclaration } from './declarations';
import { discardOrder } from './held-orders';
import { changeOrder, findOrder } from './orders.store';
import { dropOldEvents, runEvent } from './provider-events';
import { runRefund } from './refunds';
import { announceRenewal, mailDocument, remindOfTrialEnd } from './reminders';
import { dropOldPurchases } from './retention';
import {
  dropOldSteps,
  type Handler,
  nextStepAt,
  runDueSteps,
  runStep,
  type Step,
  type StepKind,
} from './steps';
import { endObjectionPeriod } from './waiting-declarations';

/** What is due by the database's clock, which is read for it: a host whose own clock is wrong charges nobody. */
export async function runDueBilling(deps: Deps, stopping?: AbortSignal): Promise<void> {
  await deps.clock.synchronize?.(deps.db.orm);
  await runBilling(deps, deps.clock.now(), stopping);
}

/** Everything of the life cycle that is due. Any number of nodes may call it at the same time. */
export async function runBilling(deps: Deps, now: Date, stopping?: AbortSignal): Promise<void> {
  await deps.payments.deliver?.(now);
  await runDueSteps(deps, handlersOf(deps), now, stopping);
  await deps.payments.deliver?.(now);
}

/** When the next piece of it falls due, at most `until`. */
export async function nextBillingAt(deps: Deps, until: Date): Promise<Date | null> {
  const times = [await nextStepAt(deps.db.orm, until), await deps.payments.nextDelivery?.(until)];
  const known = times.filter((at) => at instanceof Date);
  return known.length > 0 ? new Date(Math.min(...known.map(Number))) : null;
}

/** One step now; nothing where it was done or another node is at it. */
export async function runBillingStep(deps: Deps, key: string, now: Date): Promise<void> {
  await runStep(deps, handlersOf(deps), key, now);
}

/** Carries an order out as far as it goes now. */
export async function advanceOrder(deps: Deps, orderId: string, now: Date): Promise<void> {
  const key = await completeOrder(deps, orderId, now);
  if (key) await runBillingStep(deps, key, now);
}

/** The same for an order that its owner confirms. */
export async function confirmOrder(deps: Deps, orderId: string, now: Date): Promise<void> {
  const key = await completeHeldOrder(deps, orderId, now);
  if (key) await runBillingStep(deps, key, now);
}

export async function dropOldBilling(deps: Deps, now: Date): Promise<void> {
  await dropOldSteps(deps.db.orm, now);
  await dropOldEvents(deps, now);
  await dropOldPurchases(deps.db.orm, now);
}

function handlersOf(deps: Deps): Record<StepKind, Handler> {
  return {
    charge: (step, now) => runCharge(deps, step, now),
    charge_check: (step, now) => checkCharge(deps, step, now),
    document_mail: (step, now) => mailDocument(deps, step, now),
    trial_reminder: (step, now) => remindOfTrialEnd(deps, step, now),
    renewal_notice: (step, now) => announceRenewal(deps, step, now),
    refund: (step, now) => runRefund(deps, step, now),
    order_expiry: (step, now) => expireOrder(deps, step, now),
    declaration: (step, now) => runDeclaration(deps, step, now),
    declaration_effect: (step, now) => endObjectionPeriod(deps, step, now),
    customer_email: (step) => tellNewEmail(deps, step),
    forget_customer: (step) => deps.payments.forgetCustomer(step.subject),
    event: async (step, now) => {
      const key = await runEvent(deps, step, now);
      if (key) await runBillingStep(deps, key, now);
    },
  };
}

/** No webhook said how a charge ended. */
async function checkCharge(deps: Deps, step: Step, now: Date): Promise<void> {
  await syncCharge(deps, step.subject, now);
}

/** An order nobody finished; one that was paid at the last moment is carried out after all. */
async function expireOrder(deps: Deps, step: Step, now: Date): Promise<void> {
  if (step.key.startsWith('order-unconfirmed:')) return discardOrder(deps, step.subject, 'unconfirmed', now);
  await advanceOrder(deps, step.subject, now);
  const order = await findOrder(deps.db.orm, step.subject);
  if (order?.status !== 'incomplete' || order.subscriptionId) return;
  await changeOrder(deps.db.orm, order.id, { status: 'failed', failure: order.failure ?? 'expired' });
}
