import type Stripe from 'stripe';
import type { Charge, ProviderEvent, Refund, SavedCard, Setup } from '#host/payments/provider';

/** Maps Stripe's objects to the types that all providers share. */
export function presentSession(session: Stripe.Checkout.Session): Setup {
  const { id, status, customer, setup_intent: intent } = session;
  const isSaved = typeof intent === 'object' && intent?.status === 'succeeded';
  const card = isSaved ? presentCard(intent.payment_method) : null;
  const state = card ? 'succeeded' : status === 'expired' ? 'expired' : 'open';
  return { id, state, customerId: typeof customer === 'string' ? customer : (customer?.id ?? ''), card };
}

export function presentCard(method: string | Stripe.PaymentMethod | null): SavedCard | null {
  if (!method || typeof method === 'string' || !method.card) return null;
  const { brand, last4, exp_month, exp_year, fingerprint } = method.card;
  return {
    methodId: method.id,
    brand,
    last4,
    expMonth: exp_month,
    expYear: exp_year,
    fingerprint: fingerprint ?? method.id,
  };
}

/** A decline has no status of its own: the PaymentIntent waits for another card, which it never gets here. */
export function presentIntent({
  id,
  status,
  metadata,
  last_payment_error: error,
}: Stripe.PaymentIntent): Charge {
  const key = metadata.key ?? '';
  if (status === 'succeeded') return { id, key, state: 'succeeded', failure: null };
  if (status === 'processing') return { id, key, state: 'pending', failure: null };
  const failure = error?.decline_code ?? error?.code;
  const needsAuthentication = status === 'requires_action' || failure === 'authentication_required';
  return {
    id,
    key,
    state: 'failed',
    failure: needsAuthentication ? 'authentication_required' : (failure ?? 'card_declined'),
  };
}

export function presentRefund({ id, status, amount, payment_intent: intent }: Stripe.Refund): Refund {
  const base = { id, chargeId: idOf(intent), amountCents: amount };
  if (status === 'succeeded') return { ...base, state: 'succeeded' };
  return { ...base, state: status === 'failed' || status === 'canceled' ? 'failed' : 'pending' };
}

function idOf(object: string | { id: string } | null | undefined): string {
  return typeof object === 'string' ? object : (object?.id ?? '');
}

export function presentEvent({ id, type, data }: Stripe.Event): ProviderEvent | null {
  const object = data.object as Partial<
    Record<'customer' | 'payment_intent', string | { id: string } | null>
  > & { id?: string };
  const eventFor = (kind: ProviderEvent['object'], objectId: string | undefined) =>
    objectId ? { id, type, object: kind, objectId } : null;
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.expired':
      return eventFor('setup', object.id);
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed':
      return eventFor('charge', object.id);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return eventFor('refund', object.id);
    case 'customer.updated':
      return eventFor('customer', object.id);
    case 'payment_method.automatically_updated':
      return eventFor('customer', idOf(object.customer));
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
      return eventFor('dispute', idOf(object.payment_intent));
    default:
      return null;
  }
}
