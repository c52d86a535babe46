import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import type { Charge } from '#host/http/payment-provider';
import { planText } from '#host/invoices/wording';
import { enqueueJob, type Job, postponeJob } from '#host/jobs/queue';
import {
  type AttemptRow,
  changeAttempt,
  changePayment,
  ensurePayment,
  findAttempt,
  findMethod,
  findOpenAttempt,
  findPayment,
  getPayment,
  insertAttempt,
  type PaymentRow,
} from '#host/payments/store';
import { addDays, addHours, RETRY_DAYS } from '#host/subscriptions/calendar';
import { endAtPeriodEnd } from '#host/subscriptions/contract/ending';
import {
  changeSubscription,
  isOngoing,
  lockSubscription,
  type SubscriptionRow,
} from '#host/subscriptions/contract/store';
import { isCurrentJob } from '#host/subscriptions/jobs';
import { getOrder } from '#host/subscriptions/order/store';
import { syncChargedCard } from './card-sync';
import { extendAccess, heldUntil } from './hold';
import { settleFailure, settleSuccess } from './settlement';

/** For less than this, a provider makes no second charge with the same key (docs.stripe.com/api/idempotent_requests). */
const KEY_MS = 20 * HOUR_MS;
/** Keeps the access open while the first charge is in progress: longer than a job ever waits after an error. */
const SLACK_HOURS = 0.75;
const LAST_RETRY_DAYS = RETRY_DAYS[RETRY_DAYS.length - 1] ?? 0;

interface PreparedCharge {
  attempt: AttemptRow;
  payment: PaymentRow;
  description: string;
  /**
   * Whether the provider may have made this charge already: the attempt was recorded before, or the database may have
   * been restored from a backup of before it.
   */
  mayBeMade: boolean;
}

/**
 * Charges the next period of a contract. First the attempt and its key are recorded, then the provider is called, then
 * the result is booked: if a node dies in between, the attempt is repeated with the same key.
 */
export async function runCharge(deps: Deps, job: Job, now: Date): Promise<void> {
  await syncChargedCard(deps, job, now).catch((error: unknown) =>
    deps.log.warn({ err: error, job: job.dedupeKey }, 'the card could not be looked up before its charge'),
  );
  const prepared = await deps.db.orm.transaction((transaction) => prepareCharge(transaction, deps, job, now));
  if (!prepared) return settleLostResponse(deps, job, now);
  const charge = await requestCharge(deps, prepared);
  if (charge.state === 'failed' && !charge.id) {
    const { key, failure } = charge;
    deps.log.error({ attempt: key, failure }, 'a charge could not be made: no card that can be charged');
  }
  await settleCharge(deps, charge, now);
}

/** The response to a charge may be lost, and its contract end or be replaced before the charge is repeated. */
async function settleLostResponse(deps: Deps, { subscriptionId, period }: Job, now: Date): Promise<void> {
  const { orm } = deps.db;
  if (subscriptionId === null || period === null) return;
  const payment = await findPayment(orm, subscriptionId, period);
  const attempt = payment && (await findOpenAttempt(orm, payment.id));
  if (attempt?.status !== 'started' || !attempt.methodId) return;
  const charge = await deps.payments.findCharge(attempt.customerId, attempt.key);
  if (charge) await settleCharge(deps, charge, now);
}

async function prepareCharge(orm: Orm, deps: Deps, job: Job, now: Date): Promise<PreparedCharge | null> {
  const subscription = await lockSubscription(orm, job.subject);
  if (!subscription || !isCurrentJob(job, subscription)) return null;
  if (!isOngoing(subscription)) return null;
  if (subscription.cancelAtPeriodEnd) {
    await endAtPeriodEnd(orm, deps, subscription, now);
    return null;
  }
  const until = await heldUntil(orm, deps, subscription, now);
  if (until) {
    await postponeJob(orm, job, until);
    await extendAccess(orm, subscription, until);
    return null;
  }
  const payment = await openPayment(orm, subscription, job.dueAt, now);
  if (payment.paidAt) return null;
  const open = await findOpenAttempt(orm, payment.id);
  // An attempt with another card still in progress counts as the planned one: if it fails, the next one follows.
  if (open?.planned === null && job.planned !== null) {
    await changeAttempt(orm, open.key, { planned: job.planned });
  }
  if (open?.status === 'pending') return null;
  const attempt = open ?? (await writeAttempt(orm, subscription, payment, job.planned, now));
  await keepAccess(orm, subscription, payment, now);
  const order = await getOrder(orm, subscription.orderId);
  const description = `${deps.settings.appName}, ${planText(payment.plan, order.locale)}, ${order.reference}`;
  const isLate = now.getTime() - job.dueAt.getTime() > KEY_MS;
  return { attempt, payment, description, mayBeMade: open !== null || attempt.number > 1 || isLate };
}

function openPayment(orm: Orm, subscription: SubscriptionRow, dueAt: Date, now: Date): Promise<PaymentRow> {
  const { id, accountId, nextPeriod, nextPlan, nextPriceCents, plan, priceCents } = subscription;
  return ensurePayment(orm, {
    id: randomUUID(),
    accountId,
    subscriptionId: id,
    period: nextPeriod,
    plan: nextPlan ?? (plan as PaymentRow['plan']),
    amountCents: nextPriceCents ?? priceCents,
    status: 'open',
    dueAt,
    createdAt: now,
  });
}

async function writeAttempt(
  orm: Orm,
  subscription: SubscriptionRow,
  payment: PaymentRow,
  planned: number | null,
  now: Date,
): Promise<AttemptRow> {
  const method = await findMethod(orm, subscription.accountId);
  const number = payment.attempts + 1;
  const attempt: AttemptRow = {
    key: `${subscription.id}:${payment.period}:${number}`,
    paymentId: payment.id,
    number,
    planned,
    customerId: method?.customerId ?? '',
    methodId: method?.methodId ?? '',
    cardBrand: method?.brand ?? '',
    cardLast4: method?.last4 ?? '',
    status: 'started',
    chargeId: null,
    failure: null,
    startedAt: now,
    endedAt: null,
  };
  await insertAttempt(orm, attempt);
  await changePayment(orm, payment.id, {
    attempts: number,
    cardBrand: attempt.cardBrand,
    cardLast4: attempt.cardLast4,
  });
  return attempt;
}

/**
 * Access lasts as long as it is paid for. It is extended while a renewal is retried, up to the last retry, and for
 * three quarters of an hour while the first charge after a trial is in progress.
 */
async function keepAccess(
  orm: Orm,
  subscription: SubscriptionRow,
  payment: PaymentRow,
  now: Date,
): Promise<void> {
  if (subscription.status === 'incomplete') return;
  const firstChargeUntil = addHours(now, SLACK_HOURS);
  const until = payment.period > 0 ? addDays(payment.dueAt, LAST_RETRY_DAYS) : firstChargeUntil;
  if (payment.period === 0 && subscription.status !== 'trialing') return;
  if (until > subscription.accessUntil) await changeSubscription(orm, subscription, { accessUntil: until });
}

async function requestCharge(
  { payments }: Deps,
  { attempt, payment, description, mayBeMade }: PreparedCharge,
): Promise<Charge> {
  const { key, customerId, methodId } = attempt;
  if (!methodId) return { id: '', key, state: 'failed', failure: 'no_card' };
  const existing = mayBeMade ? await payments.findCharge(customerId, key) : null;
  if (existing) return existing;
  return payments.charge({ key, customerId, methodId, amountCents: payment.amountCents, description });
}

/** Books the result of an attempt, once; ignores charges that are not ours. */
async function settleCharge(deps: Deps, charge: Charge, now: Date): Promise<void> {
  const settled = await deps.db.orm.transaction(async (transaction) => {
    const unlocked = await findAttempt(transaction, charge.key);
    if (!unlocked) return null;
    const { accountId } = await getPayment(transaction, unlocked.paymentId);
    const subscription = await lockSubscription(transaction, accountId);
    const attempt = await findAttempt(transaction, charge.key);
    const payment = await getPayment(transaction, unlocked.paymentId);
    if (!attempt || !subscription || attempt.endedAt) return null;
    if (charge.state === 'pending' || charge.state === 'open') {
      await markPending(transaction, { attempt, payment, charge, state: charge.state }, now);
      return 'pending';
    }
    await changeAttempt(transaction, attempt.key, {
      status: charge.state,
      chargeId: charge.id || null,
      failure: charge.failure,
      endedAt: now,
    });
    const outcome = { payment, subscription, attempt };
    if (charge.state === 'succeeded') await settleSuccess(transaction, deps, outcome, now);
    else await settleFailure(transaction, deps, outcome, charge.failure ?? 'card_declined', now);
    return charge.state;
  });
  if (settled) deps.meters.countCharge(settled);
}

interface PendingCharge {
  attempt: AttemptRow;
  payment: PaymentRow;
  charge: Charge;
  state: 'pending' | 'open';
}

/** A webhook reports how the charge ended; in case none comes, it is checked after an hour at first, later daily. */
async function markPending(
  orm: Orm,
  { attempt, payment, charge, state }: PendingCharge,
  now: Date,
): Promise<void> {
  await changeAttempt(orm, attempt.key, { status: 'pending', chargeId: charge.id });
  // A payment closed with its contract stays closed, whatever becomes of the charge.
  const isClosed = payment.status === 'voided' || payment.status === 'uncollectible';
  if (!isClosed) await changePayment(orm, payment.id, { status: state });
  const waitedHours = (now.getTime() - attempt.startedAt.getTime()) / HOUR_MS;
  const dueAt = addHours(now, Math.min(24, Math.max(1, waitedHours)));
  const dedupeKey = `charge-check:${attempt.key}:${dueAt.toISOString()}`;
  await enqueueJob(orm, { kind: 'charge_check', subject: charge.id, dedupeKey, dueAt });
}

/** Called after a webhook, or when none came. */
export async function syncCharge(deps: Deps, chargeId: string, now: Date): Promise<void> {
  await settleCharge(deps, await deps.payments.getCharge(chargeId), now);
}
