import { DAY_MS } from '#contract/time';
import type { Orm } from '#host/db/client';
import type { Charge, ChargeRequest, Refund, SavedCard } from '#host/http/payment-provider';
import { type Behaviour, isExpired } from './cards';
import { emit } from './events';
import {
  changeObject,
  createObject,
  findObject,
  getObject,
  listOfCustomer,
  listPending,
  lockObject,
  type Random,
  type SandboxObject,
} from './objects';

/** The interim state of a charge that is not decided at once, for how many days, and the final state. */
const DELAYS = {
  processing: { status: 'pending', days: 5, turnsTo: 'succeeded' },
  unconfirmed: { status: 'open', days: 3, turnsTo: 'failed' },
} as const;

/** Charges once per key; later calls get the first result. */
export async function makeCharge(
  orm: Orm,
  random: Random,
  request: ChargeRequest,
  now: Date,
): Promise<Charge> {
  return orm.transaction(async (transaction) => {
    // Calls for one customer are serialised here, so that the second one finds the charge of the first.
    await lockObject(transaction, 'customer', request.customerId);
    const { failure, delay } = await outcomeOf(transaction, request, now);
    const { customerId, ...fields } = request;
    const { status, days, turnsTo } = delay
      ? DELAYS[delay]
      : { status: failure ? ('failed' as const) : ('succeeded' as const), days: null, turnsTo: null };
    const turnsAt = days && new Date(now.getTime() + days * DAY_MS).toISOString();
    const data = { ...fields, refundedCents: 0, status, failure, turnsAt, turnsTo };
    const charge = await createObject(
      transaction,
      random,
      'charge',
      { key: fields.key, customerId, data },
      now,
    );
    if (charge.isNew && (status === 'succeeded' || status === 'failed')) {
      await emit(transaction, random, `charge.${status}`, charge.id, now);
    }
    return presentCharge(charge);
  });
}

interface Outcome {
  failure: string | null;
  delay?: Behaviour['delay'];
}

async function outcomeOf(orm: Orm, { customerId, methodId }: ChargeRequest, now: Date): Promise<Outcome> {
  const method = await findObject(orm, 'method', methodId);
  if (!method || method.customerId !== customerId) return { failure: 'payment_method_detached' };
  const { behaviour } = method.data;
  if (isExpired(method.data, now)) return { failure: 'expired_card' };
  if (behaviour.charge) return { failure: behaviour.charge };
  if (!behaviour.renewal) return { failure: null, delay: behaviour.delay };
  const earlierCharges = await listOfCustomer(orm, 'charge', customerId);
  const hasSucceeded = earlierCharges.some(
    ({ data }) => data.methodId === methodId && data.status === 'succeeded',
  );
  return { failure: hasSucceeded ? behaviour.renewal : null };
}

export function presentCharge({ id, data }: SandboxObject<'charge'>): Charge {
  return { id, key: data.key, state: data.status, failure: data.failure };
}

/** Refunds once per key. Refunding more than is left of the charge is a caller's mistake. */
export async function makeRefund(
  orm: Orm,
  random: Random,
  { key, chargeId, amountCents }: { key: string; chargeId: string; amountCents: number },
  now: Date,
): Promise<Refund> {
  return orm.transaction(async (transaction) => {
    const charge = await lockObject(transaction, 'charge', chargeId);
    const method = await findObject(transaction, 'method', charge.data.methodId);
    const kind = method?.data.behaviour.refund;
    const data = {
      chargeId,
      amountCents,
      status: kind === 'pending' ? 'pending' : 'succeeded',
      turnsAt: kind ? new Date(now.getTime() + DAY_MS).toISOString() : null,
      turnsTo: kind === 'pending' ? 'succeeded' : kind === 'returned' ? 'failed' : null,
    } as const;
    const { customerId } = charge;
    const refund = await createObject(transaction, random, 'refund', { key, customerId, data }, now);
    if (!refund.isNew) return presentRefund(refund);
    const refundedCents = charge.data.refundedCents + amountCents;
    if (charge.data.status !== 'succeeded' || refundedCents > charge.data.amountCents) {
      throw new Error(`the sandbox cannot refund ${amountCents} cents of ${chargeId}`);
    }
    await changeObject(transaction, charge, { refundedCents });
    await emit(transaction, random, 'refund.updated', refund.id, now);
    return presentRefund(refund);
  });
}

export function presentRefund({ id, data }: SandboxObject<'refund'>): Refund {
  const { chargeId, amountCents, status } = data;
  return { id, chargeId, amountCents, state: status };
}

/** Changes the state of the charges and refunds that are due. */
export async function advancePending(orm: Orm, random: Random, now: Date): Promise<void> {
  const transitions = { charge: transitionCharge, refund: transitionRefund };
  for (const { id, kind } of await listPending(orm, now))
    await orm.transaction((transaction) => transitions[kind](transaction, random, id, now));
}

async function transitionCharge(orm: Orm, random: Random, id: string, now: Date): Promise<void> {
  const charge = await lockObject(orm, 'charge', id);
  const { turnsTo } = charge.data;
  if (!turnsTo) return;
  const failure = turnsTo === 'failed' ? 'authentication_required' : null;
  await changeObject(orm, charge, { status: turnsTo, failure, turnsAt: null, turnsTo: null });
  await emit(orm, random, `charge.${turnsTo}`, id, now);
}

async function transitionRefund(orm: Orm, random: Random, id: string, now: Date): Promise<void> {
  const refund = await lockObject(orm, 'refund', id);
  const { turnsTo, chargeId, amountCents } = refund.data;
  if (!turnsTo) return;
  await changeObject(orm, refund, { status: turnsTo, turnsAt: null, turnsTo: null });
  if (turnsTo === 'failed') {
    const charge = await lockObject(orm, 'charge', chargeId);
    const refundedCents = charge.data.refundedCents - amountCents;
    await changeObject(orm, charge, { refundedCents });
  }
  await emit(orm, random, 'refund.updated', id, now);
}

/** The card that a customer is charged with. */
export async function findSavedCard(orm: Orm, customerId: string): Promise<SavedCard | null> {
  const customer = await findObject(orm, 'customer', customerId);
  if (!customer?.data.methodId) return null;
  return presentCard(await getObject(orm, 'method', customer.data.methodId));
}

export function presentCard({ id, data }: SandboxObject<'method'>): SavedCard {
  const { brand, last4, expMonth, expYear, fingerprint } = data;
  return { methodId: id, brand, last4, expMonth, expYear, fingerprint };
}
