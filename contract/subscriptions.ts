import { z } from 'zod';
import { EmailField, lineField, requiredLineField } from './account-fields';
import { isSameBusiness, isSiret, normalizeNumber, vatProblem } from './business-numbers';
import { call, dataOf, Id, Moment } from './call';
import { COUNTRIES } from './countries';
import { DEFAULT_LOCALE, Locale } from './locales';
import { PlanSlug } from './plans';
import { postalCodeProblem } from './postal-codes';

const countries = new Set(COUNTRIES);

/** What the checkout page asks. `terms` and `waiver` must be true: `terms_required`, `waiver_required`. */
export const CheckoutForm = z
  .object({
    slug: PlanSlug,
    name: requiredLineField('name', 200),
    email: EmailField,
    address: requiredLineField('address', 200),
    /** As typed; its form depends on the country. */
    zip_code: lineField('zip_code', 12).default(''),
    city: requiredLineField('city', 100),
    /** ISO 3166-1 alpha-2. */
    country: z
      .string('country_required')
      .trim()
      .toUpperCase()
      .refine((code) => countries.has(code), 'country_unknown'),
    professional: z.boolean('professional_invalid').default(false),
    /** Required of professionals; dropped for everyone else, like the numbers. */
    company: lineField('company', 200).default(''),
    siret: lineField('siret', 30).overwrite(normalizeNumber).default(''),
    /** European Union only, with its country prefix. */
    vat_number: lineField('vat_number', 30)
      .overwrite((typed) => normalizeNumber(typed).replace(/^GR/, 'EL'))
      .default(''),
    terms: z.literal(true, 'terms_required'),
    waiver: z.literal(true, 'waiver_required'),
  })
  .refine(...together('zip_code', zipProblem))
  .refine(
    ...together('company', ({ professional, company }) =>
      professional && !company ? 'company_required' : null,
    ),
  )
  .refine(...together('siret', siretProblem))
  .refine(...together('vat_number', vatNumberProblem));
export type CheckoutForm = z.infer<typeof CheckoutForm>;

const Joined = z.object({
  country: z.string().refine((code) => countries.has(code)),
  zip_code: z.string(),
  professional: z.boolean(),
  company: z.string(),
  siret: z.string(),
  vat_number: z.string(),
});
type Joined = z.infer<typeof Joined>;

type Rule = [
  holds: (form: Joined) => boolean,
  refusal: {
    path: string[];
    error: (issue: { input?: unknown }) => string | undefined;
    when: (payload: { value: unknown }) => boolean;
  },
];

/** A rule over several fields, named on one; it also runs when other fields are wrong. */
function together(field: keyof Joined, problemOf: (form: Joined) => string | null): Rule {
  return [
    (form) => problemOf(form) === null,
    {
      path: [field],
      error: ({ input }) => problemOf(Joined.parse(input)) ?? undefined,
      when: ({ value }) => Joined.safeParse(value).success,
    },
  ];
}

function zipProblem({ country, zip_code }: Joined): string | null {
  return postalCodeProblem(country, zip_code)?.replace('postal_code', 'zip_code') ?? null;
}

function siretProblem({ professional, siret }: Joined): string | null {
  return professional && siret && !isSiret(siret) ? 'siret_invalid' : null;
}

function vatNumberProblem({ professional, country, vat_number, siret }: Joined): string | null {
  if (!professional || !vat_number) return null;
  const problem = vatProblem(country, vat_number);
  if (problem) return problem;
  return isSiret(siret) && !isSameBusiness(vat_number, siret) ? 'vat_number_siret_differ' : null;
}

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
    visitor: z.string().max(100).optional(),
    /** Idempotency key of the form: the same key and e-mail are one order. */
    key: z.string().min(8).max(100).optional(),
    /** Token of the captcha with the action `subscribe`, where one is set up. */
    captcha: z.string().max(10_000).optional(),
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
  at: Moment,
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
  orderedAt: Moment.nullable(),
  trialEnd: Moment.nullable(),
  periodStart: Moment.nullable(),
  periodEnd: Moment.nullable(),
  nextRenewal: Moment.nullable(),
  accessUntil: Moment,
  /** Access is decided by the date, not by the label. */
  running: z.boolean(),
  cancelAtPeriodEnd: z.boolean(),
  next: NextStep.nullable(),
  /** The other plan: when it would begin, or will where `pending`. Null where switching is not possible. */
  switch: z.object({ plan: PlanSlug, at: Moment, amountCents: z.int(), pending: z.boolean() }).nullable(),
  /** Until when a withdrawal or a money-back request refunds everything; null when that time is over. */
  withdrawUntil: Moment.nullable(),
  card: Card.nullable(),
});
export type SubscriptionView = z.infer<typeof SubscriptionView>;

const Overview = z.object({
  subscription: SubscriptionView.nullable(),
  /** Whether an order placed now would begin with a trial. */
  trialAvailable: z.boolean(),
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
