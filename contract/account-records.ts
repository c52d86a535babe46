import { z } from 'zod';
import { Id, IsoDateTime } from './call';
import { TransactionStatus } from './transactions';

/** An order as placed, with proof of what was agreed to. Money is in whole euro cents. */
export const OrderRecord = z.object({
  id: Id,
  reference: z.string(),
  status: z.enum(['incomplete', 'unconfirmed', 'complete', 'failed', 'refused']),
  failure: z.string().nullable(),
  plan: z.string(),
  priceCents: z.int(),
  trialHours: z.int(),
  email: z.string(),
  buyer: z.object({
    name: z.string(),
    company: z.string(),
    street: z.string(),
    postalCode: z.string(),
    city: z.string(),
    country: z.string(),
    professional: z.boolean(),
    siret: z.string(),
    vatNumber: z.string(),
    /** What the register of VAT numbers said, for orders without French VAT. */
    vatCheck: z
      .object({
        number: z.string(),
        checkedAt: IsoDateTime,
        result: z.enum(['valid', 'unchecked']),
        consultation: z.string(),
      })
      .optional(),
  }),
  /** SHA-256 of the accepted texts, and the IP address they were accepted from. */
  termsVersion: z.string(),
  waiverVersion: z.string(),
  consentIp: z.string(),
  createdAt: IsoDateTime,
  completedAt: IsoDateTime.nullable(),
});
export type OrderRecord = z.infer<typeof OrderRecord>;

/** One period of a subscription and the outcome of its charge. */
export const PaymentRecord = z.object({
  id: Id,
  plan: z.string(),
  status: TransactionStatus,
  amountCents: z.int(),
  refundedCents: z.int(),
  periodStart: IsoDateTime.nullable(),
  periodEnd: IsoDateTime.nullable(),
  createdAt: IsoDateTime,
  paidAt: IsoDateTime.nullable(),
  failure: z.string().nullable(),
  /** Everything known about the card. */
  card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
  /** Numbers of its invoice and credit note; the documents are on the subscription page. */
  documents: z.array(z.string()),
  refunds: z.array(
    z.object({
      amountCents: z.int(),
      reason: z.enum(['withdrawal', 'money_back', 'after_end', 'provider', 'goodwill']),
      status: z.enum(['requested', 'pending', 'succeeded', 'failed']),
      requestedAt: IsoDateTime,
      endedAt: IsoDateTime.nullable(),
    }),
  ),
});
export type PaymentRecord = z.infer<typeof PaymentRecord>;

/** The card that is charged; `fingerprint` is the SHA-256 of the provider's card fingerprint. */
export const CardRecord = z.object({
  brand: z.string(),
  last4: z.string(),
  expMonth: z.int(),
  expYear: z.int(),
  fingerprint: z.string(),
  updatedAt: IsoDateTime,
});
export type CardRecord = z.infer<typeof CardRecord>;

/** A cancellation or withdrawal declared with the account's address or by its owner. */
export const DeclarationRecord = z.object({
  kind: z.enum(['cancel', 'withdraw', 'money_back']),
  name: z.string(),
  email: z.string(),
  reference: z.string(),
  receivedAt: IsoDateTime,
  /** Null while it is being read; `waiting` for the objection period, which ends at `effectiveAt`. */
  outcome: z
    .enum(['unmatched', 'waiting', 'repeated', 'undone', 'done', 'nothing_to_do', 'too_late'])
    .nullable(),
  effectiveAt: IsoDateTime.nullable(),
  decidedAt: IsoDateTime.nullable(),
});
export type DeclarationRecord = z.infer<typeof DeclarationRecord>;

/** A message of the contact form sent under the account's address. */
export const TicketRecord = z.object({
  email: z.string(),
  firstname: z.string(),
  lastname: z.string(),
  subject: z.string(),
  message: z.string(),
  createdAt: IsoDateTime,
});
export type TicketRecord = z.infer<typeof TicketRecord>;

/** A mail to the account's address: its kind and whether it was sent. Its content is left out: a link in it may still work. */
export const MailRecord = z.object({
  kind: z.string(),
  to: z.string(),
  createdAt: IsoDateTime,
  sentAt: IsoDateTime.nullable(),
  givenUpAt: IsoDateTime.nullable(),
});
export type MailRecord = z.infer<typeof MailRecord>;

/** A browser or device that signed in before; everything known about it except the hash of a random token. */
export const KnownDeviceRecord = z.object({ createdAt: IsoDateTime, lastSignInAt: IsoDateTime });
export type KnownDeviceRecord = z.infer<typeof KnownDeviceRecord>;

/** An authenticator app, and when its recovery codes were created and used. Contains no secret and no code. */
export const SecondFactorRecord = z.object({
  createdAt: IsoDateTime,
  confirmedAt: IsoDateTime.nullable(),
  recoveryCodes: z.array(z.object({ createdAt: IsoDateTime, usedAt: IsoDateTime.nullable() })),
});
export type SecondFactorRecord = z.infer<typeof SecondFactorRecord>;
