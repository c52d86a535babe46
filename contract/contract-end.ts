import { z } from 'zod';
import { EmailField, lineField, MailTokenField, requiredLineField } from './account-fields';
import { hasAddress, hasAdvertisement, NAME_DIGITS } from './advertised-addresses';
import { call, dataOf, Id, IsoDateTime, LocaleCode } from './call';
import { DEFAULT_LOCALE } from './locales';
import { PlanSlug } from './plans';

/** A declaration that needs no sign-in: name and e-mail as in the order, or its reference. The receipt repeats it. */
export const DeclarationForm = z.object({
  name: requiredLineField('name', 200).refine((name) => !hasAdvertisement(name, NAME_DIGITS), 'name_invalid'),
  email: EmailField,
  /** Reference of the order or number of an invoice. */
  reference: lineField('reference', 40)
    .refine((reference) => !hasAddress(reference), 'reference_invalid')
    .default(''),
});

const body = DeclarationForm.extend({
  locale: LocaleCode.catch(DEFAULT_LOCALE),
  /**
   * False in the first step, which checks the declaration and shows it for review; true in the second, which makes it.
   */
  confirmed: z.boolean().default(false),
  /** Idempotency key of the form: the same form with the same key is one declaration. */
  key: z
    .string()
    .regex(/^[\w-]{8,100}$/)
    .optional(),
});

/** The same for everyone who is not signed in: only the mail says whether there is a contract. */
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
     * The refund after a withdrawal or a money-back request: the dates between which it reaches the card, and its amount.
     * `amountCents` is null unless the customer is signed in (nobody else may learn what was paid), and 0 if nothing is
     * left to refund. No refund (null) after the deadline for the request.
     */
    refund: z.object({ from: IsoDateTime, until: IsoDateTime, amountCents: z.int().nullable() }).nullable(),
  }),
});

/**
 * French consumer code L215-1-1 and D215-1 to D215-3: no sign-in, two steps, a dated receipt by mail. Like the two
 * below, it takes effect at once if the bearer token or the order's reference proves whose it is. Otherwise the owner
 * of the contract is asked by mail, and it takes effect when the owner confirms it or does not undo it in time.
 */
export const cancelContract = call({
  name: 'cancelContract',
  method: 'POST',
  path: '/api/contract/cancel',
  summary: 'Cancel the contract at the end of the paid period, without signing in',
  access: 'public',
  body,
  response,
  errors: ['invalid', 'malformed', 'rate_limited'],
});

/** French consumer code L221-21 and D221-5. */
export const withdrawContract = call({
  name: 'withdrawContract',
  method: 'POST',
  path: '/api/contract/withdraw',
  summary: 'Withdraw from the contract and get a refund, without signing in',
  access: 'public',
  body,
  response,
  errors: ['invalid', 'malformed', 'rate_limited'],
});

/** The seller's voluntary guarantee for the first payment, for everyone, once. */
export const requestMoneyBack = call({
  name: 'requestMoneyBack',
  method: 'POST',
  path: '/api/contract/money-back',
  summary: 'Request a refund of the first payment without signing in; this ends the contract',
  access: 'public',
  body,
  response,
  errors: ['invalid', 'malformed', 'rate_limited'],
});

/**
 * A declaration made without proof of identity: neither signed in as the owner nor with the order's reference. It takes
 * effect at `effectiveAt` unless the owner undoes it; its own date is the one that counts legally.
 */
export const WaitingDeclaration = z.object({
  id: Id,
  kind: z.enum(['cancel', 'withdraw', 'money_back']),
  receivedAt: IsoDateTime,
  effectiveAt: IsoDateTime,
});
export type WaitingDeclaration = z.infer<typeof WaitingDeclaration>;

/** `done` has taken effect; `over` changed nothing, because the contract had already ended. */
const State = z.enum(['waiting', 'undone', 'done', 'over']);
const Decision = z.enum(['confirm', 'undo']);
const decided = dataOf(z.object({ state: State }));

/** Errors on `token`: `token_unknown`. Reading has no effect, as mail programs open links on their own. */
export const readDeclaration = call({
  name: 'readDeclaration',
  method: 'POST',
  path: '/api/contract/declaration',
  summary: 'The declaration that a mailed link refers to',
  access: 'public',
  body: z.object({ token: MailTokenField }),
  response: dataOf(WaitingDeclaration.omit({ id: true }).extend({ plan: PlanSlug.nullable(), state: State })),
  errors: ['invalid', 'rate_limited'],
});

/** Returns the resulting state: an earlier decision is final. */
export const decideDeclaration = call({
  name: 'decideDeclaration',
  method: 'POST',
  path: '/api/contract/declaration/decision',
  summary: 'Confirm a declaration with the mailed link, so that it takes effect at once, or undo it',
  access: 'public',
  body: z.object({ token: MailTokenField, decision: Decision }),
  response: decided,
  errors: ['invalid', 'rate_limited'],
});

export const decideOwnDeclaration = call({
  name: 'decideOwnDeclaration',
  method: 'POST',
  path: '/api/account/declarations/{id}',
  summary: 'Confirm or undo a declaration, signed in as the owner of the contract',
  access: 'user',
  params: z.object({ id: Id }),
  body: z.object({ decision: Decision }),
  response: decided,
  errors: ['unauthenticated', 'invalid', 'not_found'],
});
