import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime } from './call';
import { CheckoutForm } from './checkout';
import { robotFields } from './form-tokens';
import { HeldOrder } from './held-orders';
import { DEFAULT_LOCALE, Locale } from './locales';
import { PlanSlug } from './plans';
import { isStorable } from './storable';
import { WaitingDeclaration } from './waiting-declarations';

/** Money is whole cents of the euro. Signed in, the order belongs to that account whatever `email` says. */
export const createSubscription = call({
  name: 'createSubscription',
  method: 'POST',
  path: '/api/subscriptions',
  summary: 'Order a plan; answers the hosted page where the card is entered',
  access: 'public',
  body: CheckoutForm.safeExtend({
    locale: Locale.catch(DEFAULT_LOCALE),
    /** Without a trial the first period is charged at once. A second trial of the same e-mail is never carried out. */
    trial: z.boolean().default(true),
    /** The kept design that becomes the first code, and the key of the browser that wrote it. */
    draft: Id.optional().catch(undefined),
    visitor: z.string().max(100).refine(isStorable).optional(),
    /** Idempotency key of the form: the same key and e-mail are one order. */
    key: z
      .string()
      .regex(/^[\w-]{8,100}$/)
      .optional(),
    /** What the page said one period costs at this address; for another sum nothing is ordered: `price_differs`. */
    price_cents: z.int('malformed').optional(),
    /** The captcha's action is `subscribe`. */
    ...robotFields,
  }),
  response: dataOf(
    z.object({
      /** Hosted page of the payment provider. */
      redirectUrl: z.url(),
      /** What `check_pi_status` is asked with; cannot be guessed. */
      paymentIntent: z.string(),
    }),
  ),
  status: 201,
  errors: ['invalid', 'malformed', 'unauthenticated', 'conflict', 'rate_limited', 'unavailable'],
});

/** For the page to say the very sum that will be charged: it depends on the VAT of the billing address. */
export const getOrderPrice = call({
  name: 'getOrderPrice',
  method: 'POST',
  path: '/api/subscriptions/price',
  summary: 'What a plan costs at a billing address',
  access: 'public',
  beyond: true,
  body: z.object({
    slug: PlanSlug,
    country: CheckoutForm.shape.country,
    zip_code: CheckoutForm.shape.zip_code,
    professional: CheckoutForm.shape.professional,
    vat_number: CheckoutForm.shape.vat_number,
  }),
  response: dataOf(
    z.object({
      /** For one period. */
      priceCents: z.int(),
      /** Rate of the French VAT within; 0 where none is due. */
      vatPercent: z.number(),
    }),
  ),
  errors: ['invalid'],
});

export const SubscriptionStatus = z.enum([
  'active',
  'due_date',
  'incomplete',
  'expired',
  'trialing',
  'canceled',
]);
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>;

/** `first_charge`, `renewal` and `retry` take money; `end` takes none. */
const NextStep = z.object({
  code: z.enum(['first_charge', 'renewal', 'retry', 'end']),
  at: IsoDateTime,
  amountCents: z.int(),
});

/** Card the next charge goes to; brand in lower case. */
const Card = z.object({
  brand: z.string(),
  last4: z.string(),
  expMonth: z.int(),
  expYear: z.int(),
});

export const SubscriptionView = z.object({
  id: Id,
  /** Of the order, as on the confirmation; empty for access that was given without one. */
  reference: z.string(),
  plan: z.string(),
  billingCycle: z.enum(['monthly', 'yearly']),
  status: SubscriptionStatus,
  amountCents: z.int(),
  orderedAt: IsoDateTime.nullable(),
  /** When it ends or ended; of a contract that was ended during the trial, that moment. */
  trialEnd: IsoDateTime.nullable(),
  periodStart: IsoDateTime.nullable(),
  periodEnd: IsoDateTime.nullable(),
  nextRenewal: IsoDateTime.nullable(),
  accessUntil: IsoDateTime,
  /** Access is decided by the date, not by the label. */
  running: z.boolean(),
  cancelAtPeriodEnd: z.boolean(),
  next: NextStep.nullable(),
  /** The other plan: when it would begin, or will where `pending`. Null where switching is not possible. */
  switch: z
    .object({ plan: PlanSlug, at: IsoDateTime, amountCents: z.int(), pending: z.boolean() })
    .nullable(),
  /** Until when a withdrawal or a money-back request refunds everything; null when that time is over. */
  withdrawUntil: IsoDateTime.nullable(),
  /** What gives that time: the consumer's right of withdrawal, or the seller's promise for the first payment. */
  withdrawReason: z.enum(['withdrawal', 'money_back']).nullable(),
  /** What it would pay back now; 0 where nothing was charged so far. Null where that time is over. */
  withdrawRefundCents: z.int().nullable(),
  card: Card.nullable(),
  /** Oldest first. While one waits nothing is charged. */
  declarations: z.array(WaitingDeclaration),
});
export type SubscriptionView = z.infer<typeof SubscriptionView>;

const Overview = z.object({
  subscription: SubscriptionView.nullable(),
  /** Whether an order placed now would begin with a trial. */
  trialAvailable: z.boolean(),
  /** Orders with the account's address that wait for its owner, oldest first. */
  heldOrders: z.array(HeldOrder),
});

export const getSubscription = call({
  name: 'getSubscription',
  method: 'GET',
  path: '/api/account/subscriptions',
  summary: 'The subscription of the account and what happens next',
  access: 'user',
  response: dataOf(Overview),
  errors: ['unauthenticated'],
});

export const openBillingPortal = call({
  name: 'openBillingPortal',
  method: 'POST',
  path: '/api/account/billing-portal',
  summary: 'A short-lived page of the payment provider to see and change the card',
  access: 'user',
  body: z.object({ locale: Locale.optional().catch(undefined) }),
  response: dataOf(z.object({ url: z.url() })),
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'unavailable'],
});

const changed = z.object({
  status: z.literal('success'),
  message: z.enum(['subscription_canceled', 'subscription_resumed', 'subscription_switched']),
  data: SubscriptionView,
});

/** Ends at the end of the paid period, or of the trial; at once where a charge is overdue. */
export const cancelSubscription = call({
  name: 'cancelSubscription',
  method: 'POST',
  path: '/api/account/subscription/cancel',
  summary: 'No further charge; access lasts to the end of what was paid',
  access: 'user',
  beyond: true,
  response: changed,
  errors: ['unauthenticated', 'conflict'],
});

export const resumeSubscription = call({
  name: 'resumeSubscription',
  method: 'POST',
  path: '/api/account/subscription/resume',
  summary: 'Take a cancellation back before it takes effect',
  access: 'user',
  beyond: true,
  response: changed,
  errors: ['unauthenticated', 'conflict'],
});

/**
 * During the trial nothing was paid, so the other plan holds at once. Later it begins with the next renewal: what was
 * paid is used up and nothing is reckoned up. Asking for the present plan takes a pending switch back.
 */
export const switchSubscription = call({
  name: 'switchSubscription',
  method: 'POST',
  path: '/api/account/subscription/switch',
  summary: 'Change between monthly and yearly',
  access: 'user',
  beyond: true,
  body: z.object({ plan: PlanSlug }),
  response: changed,
  errors: ['unauthenticated', 'invalid', 'conflict'],
});
