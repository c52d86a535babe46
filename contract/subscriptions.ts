import { z } from 'zod';
import { EmailField } from './account-fields';
import { Address } from './addresses';
import { call, Done, dataOf, Id, IsoDateTime, LocaleCode } from './call';
import { CheckoutForm } from './checkout';
import { WaitingDeclaration } from './contract-end';
import { robotFields } from './form-tokens';
import { HeldOrder } from './held-orders';
import { DEFAULT_LOCALE } from './locales';
import { Plan, PlanSlug } from './plans';
import { isStorable } from './storable';
import { PaymentIntent } from './transactions';

/** Money is in whole euro cents. Signed in, the order belongs to that account whatever `email` says. */
export const createSubscription = call({
  name: 'createSubscription',
  method: 'POST',
  path: '/api/subscriptions',
  summary: 'Order a plan; returns the URL of the hosted page where the card is entered',
  access: 'public',
  body: CheckoutForm.safeExtend({
    locale: LocaleCode.catch(DEFAULT_LOCALE),
    /**
     * Without a trial the first period is charged at once. An e-mail address gets one trial only: signed in, `true` is
     * refused with `trial_differs` if there is none. If left out, there is a trial if one is available.
     */
    trial: z.boolean().optional(),
    /** The saved design that becomes the first code, and the key of the browser that wrote it. */
    draft: Id.optional().catch(undefined),
    visitor: z.string().max(100).refine(isStorable).optional(),
    /** Idempotency key of the form: the same key and e-mail are one order. */
    key: z
      .string()
      .regex(/^[\w-]{8,100}$/)
      .optional(),
    /** Price of one period as shown on the page; if it is not the price at this address, refused with `price_differs`. */
    price_cents: z.int('malformed').optional(),
    /** The captcha's action is `subscribe`. */
    ...robotFields,
  }),
  response: dataOf(
    z.object({
      /** Hosted page of the payment provider. */
      redirectUrl: z.url(),
      /** For `check_pi_status`; cannot be guessed. */
      paymentIntent: z.string(),
    }),
  ),
  status: 201,
  errors: ['invalid', 'malformed', 'unauthenticated', 'conflict', 'rate_limited', 'unavailable'],
});

const { country, zip_code, professional, vat_number } = CheckoutForm.shape;

/**
 * Prices as they will be charged, for the order page: they depend on the VAT of the billing address. Without a `place`
 * that is the default address of the account; if the place is invalid, prices include VAT.
 */
export const getOffer = call({
  name: 'getOffer',
  method: 'POST',
  path: '/api/subscriptions/offer',
  safe: true,
  summary: "The plans with their prices for a billing address, and how the buyer's account affects an order",
  access: 'public',
  body: z.object({
    place: z.object({ country, zip_code, professional, vat_number }).nullish().catch(null),
  }),
  response: dataOf(
    z.object({
      /** With the price of one period there, and the rate of French VAT that it includes, 0 if none is due. */
      plans: z.array(Plan.extend({ due: z.object({ priceCents: z.int(), vatPercent: z.number() }) })),
      /** Null if not signed in. */
      account: z
        .object({
          /** Whether its access is running, so that it needs no order. */
          running: z.boolean(),
          /** As in the subscription of the account. */
          trialAvailable: z.boolean(),
          /** Whether the seller's guarantee for the first payment still holds: it is given once per person. */
          moneyBackAvailable: z.boolean(),
          /** The default billing address. */
          address: Address.nullable(),
        })
        .nullable(),
    }),
  ),
  errors: ['unauthenticated'],
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

/** `first_charge`, `renewal` and `retry` take money; `charging` is taking it, since `at`; `end` takes none. */
const NextStep = z.object({
  code: z.enum(['first_charge', 'renewal', 'charging', 'retry', 'end']),
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
  /** Of the order, as on the confirmation; empty for access granted without one. */
  reference: z.string(),
  plan: z.string(),
  billingCycle: z.enum(['monthly', 'yearly']),
  status: SubscriptionStatus,
  amountCents: z.int(),
  orderedAt: IsoDateTime.nullable(),
  /** When the trial ends or ended, also early with the contract. */
  trialEnd: IsoDateTime.nullable(),
  periodStart: IsoDateTime.nullable(),
  periodEnd: IsoDateTime.nullable(),
  nextRenewal: IsoDateTime.nullable(),
  accessUntil: IsoDateTime,
  /** Access is decided by the date, not by the label. */
  running: z.boolean(),
  cancelAtPeriodEnd: z.boolean(),
  /**
   * What cancelling now would do: when the paid period or the trial ends, and whether that has passed, so that the
   * contract would end at once. Null if there is nothing to cancel.
   */
  cancellation: z.object({ endsAt: IsoDateTime, atOnce: z.boolean() }).nullable(),
  next: NextStep.nullable(),
  /** The other plan, and when it would begin or, if `pending`, will. Null if switching is not possible. */
  switch: z
    .object({ plan: PlanSlug, at: IsoDateTime, amountCents: z.int(), pending: z.boolean() })
    .nullable(),
  /** Until when a withdrawal or a money-back request refunds everything; null when that time is over. */
  withdrawUntil: IsoDateTime.nullable(),
  /** On what grounds: the consumer's right of withdrawal, or the seller's guarantee for the first payment. */
  withdrawReason: z.enum(['withdrawal', 'money_back']).nullable(),
  /** What it would refund now; 0 if nothing is left to refund, null when that time is over. */
  withdrawRefundCents: z.int().nullable(),
  card: Card.nullable(),
  /** Oldest first. While one is waiting, nothing is charged. */
  declarations: z.array(WaitingDeclaration),
});
export type SubscriptionView = z.infer<typeof SubscriptionView>;

const Overview = z.object({
  subscription: SubscriptionView.nullable(),
  /** Whether an order placed now would begin with a trial. */
  trialAvailable: z.boolean(),
  /** Orders with the account's address that await confirmation, oldest first; none while a subscription is running. */
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
  summary: 'URL of a short-lived page of the payment provider for viewing and changing the card',
  access: 'user',
  body: z.object({ locale: LocaleCode.optional().catch(undefined) }),
  response: dataOf(z.object({ url: z.url() })),
  errors: ['unauthenticated', 'not_found', 'rate_limited', 'unavailable'],
});

const changed = z.object({
  status: z.literal('success'),
  message: z.enum(['subscription_canceled', 'subscription_resumed', 'subscription_switched']),
  data: SubscriptionView,
});

/** At the end of the paid period or the trial; at once if a charge is overdue or the first one has not been paid. */
export const cancelSubscription = call({
  name: 'cancelSubscription',
  method: 'POST',
  path: '/api/account/subscription/cancel',
  summary: 'Cancel the subscription: no further charge; access lasts to the end of the paid period',
  access: 'user',
  response: changed,
  errors: ['unauthenticated', 'conflict'],
});

export const resumeSubscription = call({
  name: 'resumeSubscription',
  method: 'POST',
  path: '/api/account/subscription/resume',
  summary: 'Revoke a cancellation before it takes effect',
  access: 'user',
  response: changed,
  errors: ['unauthenticated', 'conflict'],
});

/**
 * During the trial nothing has been paid, so the other plan applies at once. Later it begins with the next renewal,
 * without proration. Requesting the current plan cancels a pending switch; requesting the pending one changes nothing.
 */
export const switchSubscription = call({
  name: 'switchSubscription',
  method: 'POST',
  path: '/api/account/subscription/switch',
  summary: 'Change between monthly and yearly',
  access: 'user',
  body: z.object({
    plan: PlanSlug,
    /** As in an order: the price of the new plan as shown. */
    price_cents: z.int('malformed').optional(),
  }),
  response: changed,
  errors: ['unauthenticated', 'invalid', 'conflict'],
});

/** The response does not depend on the outcome. At most three times an hour per order. */
export const resendOrderMail = call({
  name: 'resendOrderMail',
  method: 'POST',
  path: '/api/subscriptions/mail',
  summary:
    'Mail the confirmation of an order again, with a new link to set up the account if that is still to be done',
  access: 'public',
  body: z.object({ payment_intent_id: PaymentIntent }),
  response: Done,
  errors: ['invalid', 'not_found', 'rate_limited'],
});

/**
 * Only for the browser that placed the order (`visitor` is its key), within a day and before the mailed link is used. The
 * account created by the order gets the new address, the earlier link expires, and the old address is notified. The
 * response is the same if the account is set up already, or existed before the order.
 */
export const correctOrderEmail = call({
  name: 'correctOrderEmail',
  method: 'POST',
  path: '/api/subscriptions/email',
  summary: 'Correct the e-mail address of an order that was placed without signing in',
  access: 'public',
  body: z.object({
    payment_intent_id: PaymentIntent,
    visitor: z.string().max(100).refine(isStorable),
    email: EmailField,
  }),
  response: Done,
  errors: ['invalid', 'not_found', 'rate_limited'],
});
