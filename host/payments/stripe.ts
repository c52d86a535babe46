import Stripe from 'stripe';
import { LOCALES } from '#contract/locales';
import {
  type Charge,
  type PaymentProvider,
  type ProviderEvent,
  type Refund,
  type SavedCard,
  type Setup,
  type SetupRequest,
  WebhookRefused,
} from '#host/http/payment-provider';

const CURRENCY = 'eur';
/** How many of a customer's charges are searched for one whose response was lost. */
const MAX_LISTED_CHARGES = 200;

interface StripeOptions {
  secretKey: string;
  /** Of the webhook endpoint; several during rotation. */
  webhookSecrets: string[];
  /** Another address than Stripe's, for tests. */
  connection?: Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'>;
}

/**
 * Stripe as a card vault that charges by key: hosted Checkout in setup mode, one PaymentIntent per charge, the customer
 * portal. Stripe Billing is not used: trials may be shorter than it allows, and periods, retries and numbered invoices
 * are our own for every provider (docs.stripe.com/payments/save-and-reuse).
 */
export function createStripe({ secretKey, webhookSecrets, connection }: StripeOptions): PaymentProvider {
  const stripe = new Stripe(secretKey, {
    ...connection,
    telemetry: false,
    maxNetworkRetries: 2,
    timeout: 20_000,
  });

  return {
    name: 'stripe',
    openSetup: (request) => openSetup(stripe, request),
    getSetup: async (id) => {
      const session = await stripe.checkout.sessions.retrieve(id, {
        expand: ['setup_intent.payment_method'],
      });
      return presentSession(session);
    },
    charge: async ({ key, customerId, methodId, amountCents, description }) => {
      try {
        const intent = await stripe.paymentIntents.create(
          {
            amount: amountCents,
            currency: CURRENCY,
            customer: customerId,
            payment_method: methodId,
            allowed_payment_method_types: ['card'],
            off_session: true,
            confirm: true,
            description,
            metadata: { key },
          },
          { idempotencyKey: `charge:${key}` },
        );
        return presentIntent(intent);
      } catch (error) {
        // A decline comes as an error that carries the PaymentIntent.
        const intent = error instanceof Stripe.errors.StripeError ? error.payment_intent : undefined;
        if (intent) return { ...presentIntent(intent), key };
        if (isUnusable(error)) return { id: '', key, state: 'failed', failure: 'payment_method_detached' };
        throw error;
      }
    },
    getCharge: async (id) => presentIntent(await stripe.paymentIntents.retrieve(id)),
    findCharge: async (customerId, key) => {
      const listed = stripe.paymentIntents.list({ customer: customerId, limit: 100 });
      const intents = await unlessMissing(listed.autoPagingToArray({ limit: MAX_LISTED_CHARGES }));
      const found = intents?.find(({ metadata }) => metadata.key === key);
      return found ? presentIntent(found) : null;
    },
    refund: async ({ key, chargeId, amountCents }) => {
      try {
        const refund = await stripe.refunds.create(
          { payment_intent: chargeId, amount: amountCents, reason: 'requested_by_customer' },
          { idempotencyKey: `refund:${key}` },
        );
        return presentRefund(refund);
      } catch (error) {
        if (!isUnusable(error)) throw error;
        // The charge may already have been refunded by hand.
        const earlierRefunds = await stripe.refunds.list({ payment_intent: chargeId, limit: 100 });
        const matching = earlierRefunds.data
          .map(presentRefund)
          .find((refund) => refund.state !== 'failed' && refund.amountCents === amountCents);
        return matching ?? { id: '', chargeId, amountCents, state: 'failed' };
      }
    },
    getRefund: async (id) => presentRefund(await stripe.refunds.retrieve(id)),
    findCard: async (customerId) => {
      const customer = await stripe.customers.retrieve(customerId, {
        expand: ['invoice_settings.default_payment_method'],
      });
      return customer.deleted ? null : presentCard(customer.invoice_settings.default_payment_method);
    },
    preferCard: async (customerId, methodId) => {
      const preferred = { invoice_settings: { default_payment_method: methodId } };
      await unlessMissing(stripe.customers.update(customerId, preferred));
    },
    changeEmail: async (customerId, email) => {
      await unlessMissing(stripe.customers.update(customerId, { email }));
    },
    openPortal: async ({ customerId, locale, returnUrl }) => {
      const session = await stripe.billingPortal.sessions.create({
        customer: customerId,
        return_url: returnUrl,
        locale: LOCALES[locale].tag,
      });
      return session.url;
    },
    forgetCustomer: async (customerId) => {
      await unlessMissing(stripe.customers.del(customerId));
    },
    readEvent: async (rawBody, header) => {
      const signature = header('stripe-signature') ?? '';
      for (const secret of webhookSecrets) {
        try {
          return presentEvent(stripe.webhooks.constructEvent(rawBody, signature, secret));
        } catch (error) {
          if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) {
            throw new WebhookRefused('unknown format');
          }
        }
      }
      throw new WebhookRefused('wrong signature');
    },
  };
}

/** Stripe's response; null if the object, or its customer or card, is gone. */
async function unlessMissing<Result>(pendingRequest: Promise<Result>): Promise<Result | null> {
  return pendingRequest.catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripeError && error.code === 'resource_missing') return null;
    throw error;
  });
}

/**
 * Whether Stripe refused because the card, its customer or the rest of the charge is gone: a retry would get the same
 * response forever. Parameters that Stripe does not know are our mistake, not a failure of the card.
 */
function isUnusable(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError && !(error.code ?? '').startsWith('parameter_')
  );
}

async function openSetup(stripe: Stripe, request: SetupRequest) {
  const { key, email, name, locale, successUrl, cancelUrl } = request;
  const customerId =
    request.customerId ??
    (
      await stripe.customers.create(
        { email, name, preferred_locales: [LOCALES[locale].tag] },
        { idempotencyKey: `customer:${key}` },
      )
    ).id;
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'setup',
      ui_mode: 'hosted_page',
      customer: customerId,
      currency: CURRENCY,
      locale: LOCALES[locale].tag,
      client_reference_id: key,
      success_url: successUrl,
      cancel_url: cancelUrl,
    },
    { idempotencyKey: `setup:${key}` },
  );
  if (!session.url) throw new Error('Stripe created a Checkout Session without a URL');
  return { setupId: session.id, customerId, url: session.url };
}

/** Maps Stripe's objects to the types that all providers share. */
function presentSession(session: Stripe.Checkout.Session): Setup {
  const { id, status, customer, setup_intent: intent } = session;
  const isSaved = typeof intent === 'object' && intent?.status === 'succeeded';
  const card = isSaved ? presentCard(intent.payment_method) : null;
  const state = card ? 'succeeded' : status === 'expired' ? 'expired' : 'open';
  return { id, state, customerId: typeof customer === 'string' ? customer : (customer?.id ?? ''), card };
}

function presentCard(method: string | Stripe.PaymentMethod | null): SavedCard | null {
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
function presentIntent({ id, status, metadata, last_payment_error: error }: Stripe.PaymentIntent): Charge {
  const key = metadata.key ?? '';
  if (status === 'succeeded') return { id, key, state: 'succeeded', failure: null };
  if (status === 'processing') return { id, key, state: 'pending', failure: null };
  const failure = error?.decline_code ?? error?.code;
  return {
    id,
    key,
    state: 'failed',
    failure: status === 'requires_action' ? 'authentication_required' : (failure ?? 'card_declined'),
  };
}

function presentRefund({ id, status, amount, payment_intent: intent }: Stripe.Refund): Refund {
  const base = { id, chargeId: idOf(intent), amountCents: amount };
  if (status === 'succeeded') return { ...base, state: 'succeeded' };
  return { ...base, state: status === 'failed' || status === 'canceled' ? 'failed' : 'pending' };
}

function idOf(object: string | { id: string } | null | undefined): string {
  return typeof object === 'string' ? object : (object?.id ?? '');
}

function presentEvent({ id, type, data }: Stripe.Event): ProviderEvent | null {
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
