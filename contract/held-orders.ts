import { z } from 'zod';
import { MailTokenField } from './account-fields';
import { call, dataOf, Id, IsoDateTime } from './call';
import { PlanSlug } from './plans';
import { PaymentIntent } from './transactions';

/**
 * An order placed without signing in, with the e-mail address of an account in use. The card is entered at the
 * provider; nothing is charged and the account does not change before its owner confirms.
 */
export const HeldOrder = z.object({
  id: Id,
  plan: PlanSlug,
  /** Price of a period, in cents. */
  amountCents: z.int(),
  /** 0 if the first period is charged on confirmation. */
  trialHours: z.int(),
  placedAt: IsoDateTime,
  /** It lapses if not confirmed by then. */
  confirmBy: IsoDateTime,
});
export type HeldOrder = z.infer<typeof HeldOrder>;

/**
 * `confirmed` includes everything after it, even a refused charge; `over` was discarded, not confirmed in time, or cannot
 * be fulfilled because the account with its address has a running subscription.
 */
const State = z.enum(['held', 'confirmed', 'over']);
const Decision = z.enum(['confirm', 'discard']);
/** `paymentIntent` identifies the page with the order's status; null unless it was confirmed. */
const decided = dataOf(z.object({ state: State, paymentIntent: PaymentIntent.nullable() }));

/** Errors on `token`: `token_unknown`. Reading has no effect, as mail programs open links on their own. */
export const readHeldOrder = call({
  name: 'readHeldOrder',
  method: 'POST',
  path: '/api/subscriptions/held',
  summary: 'The order that a mailed link refers to',
  access: 'public',
  body: z.object({ token: MailTokenField }),
  response: dataOf(HeldOrder.omit({ id: true }).extend({ state: State })),
  errors: ['invalid', 'rate_limited'],
});

/** Returns the resulting state: an earlier decision is final. */
export const decideHeldOrder = call({
  name: 'decideHeldOrder',
  method: 'POST',
  path: '/api/subscriptions/held/decision',
  summary: 'Confirm or discard an order with the mailed link',
  access: 'public',
  body: z.object({ token: MailTokenField, decision: Decision }),
  response: decided,
  errors: ['invalid', 'rate_limited', 'unavailable'],
});

export const decideOwnOrder = call({
  name: 'decideOwnOrder',
  method: 'POST',
  path: '/api/account/orders/{id}',
  summary: 'Confirm or discard an order, signed in with its e-mail address',
  access: 'user',
  params: z.object({ id: Id }),
  body: z.object({ decision: Decision }),
  response: decided,
  errors: ['unauthenticated', 'invalid', 'not_found', 'unavailable'],
});
