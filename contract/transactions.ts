import { z } from 'zod';
import { call, dataOf, Id, IsoDateTime, pageOf } from './call';
import { PlanSlug } from './plans';
import { isStorable } from './storable';

export const TransactionStatus = z.enum([
  'paid',
  'pending',
  'failed',
  'refunded',
  'voided',
  'uncollectible',
  'open',
]);
export type TransactionStatus = z.infer<typeof TransactionStatus>;

const InvoiceLink = z.object({ number: z.string(), path: z.string() });

/** One period of a subscription. Money is in whole euro cents. */
export const Transaction = z.object({
  id: Id,
  amountCents: z.int(),
  refundedCents: z.int(),
  /** A refund on its way, and the dates between which it reaches the card. Null if there is none, or after these. */
  refund: z.object({ amountCents: z.int(), from: IsoDateTime, until: IsoDateTime }).nullable(),
  currency: z.literal('EUR'),
  status: TransactionStatus,
  /** Card it was or will be charged to; null if none is known any more. */
  method: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  description: z.enum(['first_period', 'renewal']),
  plan: z.string(),
  periodStart: IsoDateTime.nullable(),
  periodEnd: IsoDateTime.nullable(),
  /** When it was paid or, if it was not, begun. */
  date: IsoDateTime,
  /** Why the last attempt failed, in the provider's words, such as `insufficient_funds`. */
  failure: z.string().nullable(),
  invoice: InvoiceLink.nullable(),
  creditNote: InvoiceLink.nullable(),
});
export type Transaction = z.infer<typeof Transaction>;

export const listTransactions = call({
  name: 'listTransactions',
  method: 'GET',
  path: '/api/account/transactions',
  summary: 'Charges of the account, newest first',
  access: 'user',
  query: z.object({
    page: z.coerce.number().int().min(1).max(100_000).catch(1),
    limit: z.coerce.number().int().min(1).max(100).catch(10),
  }),
  response: pageOf(Transaction),
  errors: ['unauthenticated'],
});

export const PaymentIntent = z
  .string('payment_intent_unknown')
  .regex(/^pi_[\w-]{32}$/, 'payment_intent_unknown');

/**
 * Status of an order. `failure` says why it failed: a decline, `trial_used`, `expired`, or `already_running`
 * if a signed-in buyer had a subscription by then.
 */
export const PaymentStatus = z.object({
  state: z.enum(['pending', 'succeeded', 'failed']),
  failure: z.string().nullable(),
  offer: PlanSlug,
  amountCents: z.int(),
  currency: z.literal('EUR'),
  reference: z.string(),
  /** First letter and domain only. */
  email: z.string(),
  /** When the first charge falls due; null when it was made at once. */
  firstChargeAt: IsoDateTime.nullable(),
  /** The saved design that was ordered, while it is kept; only the key of its browser reads it. */
  draft: Id.nullable(),
  /** The code it became, in the buyer's account. */
  code: Id.nullable(),
  /** Whether `resendOrderMail` mails something: for a day after the order. */
  canResend: z.boolean(),
  /** Whether this browser may call `correctOrderEmail`: the one that ordered without signing in, for a day. */
  canCorrect: z.boolean(),
});
export type PaymentStatus = z.infer<typeof PaymentStatus>;

export const checkPaymentStatus = call({
  name: 'checkPaymentStatus',
  method: 'POST',
  path: '/api/transactions/check_pi_status',
  summary: 'How the payment step of an order ended; while it is pending, the provider is queried again',
  access: 'public',
  body: z.object({
    payment_intent_id: PaymentIntent,
    /** Key of the calling browser; without it, whatever only the ordering browser may know is left out. */
    visitor: z.string().max(100).refine(isStorable).optional().catch(undefined),
  }),
  response: dataOf(PaymentStatus),
  errors: ['invalid', 'not_found', 'rate_limited'],
});

export const getInvoice = call({
  name: 'getInvoice',
  method: 'GET',
  path: '/api/invoices/{file}',
  summary: 'One invoice or credit note of the account as PDF; the file name is its number plus .pdf',
  access: 'user',
  params: z.object({ file: z.string().regex(/^[FA]\d{4}-\d{6}\.pdf$/) }),
  errors: ['unauthenticated', 'not_found'],
});
