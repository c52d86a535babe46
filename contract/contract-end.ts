import { z } from 'zod';
import { EmailField, lineField, requiredLineField } from './account-fields';
import { hasAddress } from './advertised-addresses';
import { call, IsoDateTime } from './call';
import { DEFAULT_LOCALE, Locale } from './locales';

/** Declaration of someone who need not sign in. Name and e-mail as in the order, or its reference. The receipt names all. */
export const DeclarationForm = z.object({
  name: requiredLineField('name', 200).refine((name) => !hasAddress(name), 'name_invalid'),
  email: EmailField,
  /** Reference of the order or number of an invoice. */
  reference: lineField('reference', 40)
    .refine((reference) => !hasAddress(reference), 'reference_invalid')
    .default(''),
});

const body = DeclarationForm.extend({
  locale: Locale.catch(DEFAULT_LOCALE),
  /** First step false: the declaration is checked and read back. Second step true: it is made. */
  confirmed: z.boolean().default(false),
  /** Idempotency key of the form: the same key is one declaration. */
  key: z
    .string()
    .regex(/^[\w-]{8,100}$/)
    .optional(),
});

/** The same for everyone who is not signed in: whether there is a contract is said in the mail, not here. */
const response = z.object({
  status: z.literal('success'),
  message: z.enum(['declaration_checked', 'declaration_received']),
  data: z.object({
    name: z.string(),
    email: z.string(),
    reference: z.string(),
    /** When it was made; null in the first step. */
    receivedAt: IsoDateTime.nullable(),
    /**
     * What follows for the money, after a withdrawal or a money-back request: between when it is on the card again, and
     * how much. `amountCents` is null for whoever is not signed in as the customer (nobody else is told what was paid),
     * 0 where nothing was charged. Null where the customer's time for it is over.
     */
    refund: z.object({ from: IsoDateTime, until: IsoDateTime, amountCents: z.int().nullable() }).nullable(),
  }),
});

/**
 * French consumer code L215-1-1 and D215-1 to D215-3: no sign-in, two steps, a dated receipt by mail. Like the two below
 * it takes effect at once where the bearer token or the reference of the order shows whose it is. Otherwise the owner of
 * the contract is asked by mail, and it takes effect when the owner confirms it or has not undone it in time.
 */
export const cancelContract = call({
  name: 'cancelContract',
  method: 'POST',
  path: '/api/contract/cancel',
  summary: 'Cancel the contract at the end of what was paid, without signing in',
  access: 'public',
  beyond: true,
  body,
  response,
  errors: ['invalid', 'malformed', 'rate_limited'],
});

/** French consumer code L221-21 and D221-5. */
export const withdrawContract = call({
  name: 'withdrawContract',
  method: 'POST',
  path: '/api/contract/withdraw',
  summary: 'Withdraw from the contract and get the money back, without signing in',
  access: 'public',
  beyond: true,
  body,
  response,
  errors: ['invalid', 'malformed', 'rate_limited'],
});

/** The seller's own promise for the first payment, for everyone, once. */
export const requestMoneyBack = call({
  name: 'requestMoneyBack',
  method: 'POST',
  path: '/api/contract/money-back',
  summary: 'Ask for the first payment back, without signing in; the contract ends with it',
  access: 'public',
  beyond: true,
  body,
  response,
  errors: ['invalid', 'malformed', 'rate_limited'],
});
