import { z } from 'zod';
import { MailTokenField } from './account-fields';
import { call, dataOf, Id, IsoDateTime } from './call';
import { PlanSlug } from './plans';
import { PaymentIntent } from './transactions';

/**
 * An order that was placed without signing in, with the address of an account that is in use. The card is entered at the
 * provider; nothing is charged and nothing of the account changes before its owner confirms.
 */
export const HeldOrder = z.object({
  id: Id,
  plan: PlanSlug,
  /** What a period costs, in cents. */
  amountCents: z.int(),
  /** 0 where the first period is charged with the confirmation. */
  trialHours: z.int(),
  placedAt: IsoDateTime,
  /** Not confirmed by then, it comes to nothing. */
  confirmBy: IsoDateTime,
});
export type HeldOrder = z.infer<typeof HeldOrder>;

/** `confirmed` covers all that follows, also a charge that is refused then; `over` was discarded, or not confirmed in time. */
const State = z.enum(['held', 'confirmed', 'over']);
const Decision = z.enum(['confirm', 'discard']);
/** `paymentIntent` names the page that says how the order goes on; null unless it was confirmed. */
const decided = dataOf(z.object({ state: State, paymentIntent: PaymentIntent.nullable() }));

/** Errors on `token`: `token_unknown`. Looking decides nothing: mail programs open links on their own. */
export const readHeldOrder = call({
  name: 'readHeldOrder',
  method: 'POST',
  path: '/api/subscriptions/held',
  summary: 'The order that a mailed link is about',
  access: 'public',
  beyond: true,
  body: z.object({ token: MailTokenField }),
  response: dataOf(HeldOrder.omit({ id: true }).extend({ state: State })),
  errors: ['invalid', 'rate_limited'],
});

/** Answers where the order stands then: one that was decided before stays so. */
export const decideHeldOrder = call({
  name: 'decideHeldOrder',
  method: 'POST',
  path: '/api/subscriptions/held/decision',
  summary: 'Have an order carried out, or discard it, by the mailed link',
  access: 'public',
  beyond: true,
  body: z.object({ token: MailTokenField, decision: Decision }),
  response: decided,
  errors: ['invalid', 'rate_limited', 'unavailable'],
});

export const decideOwnOrder = call({
  name: 'decideOwnOrder',
  method: 'POST',
  path: '/api/account/orders/{id}',
  summary: 'The same, signed in with the address of the order',
  access: 'user',
  beyond: true,
  params: z.object({ id: Id }),
  body: z.object({ decision: Decision }),
  response: decided,
  errors: ['unauthenticated', 'invalid', 'not_found', 'unavailable'],
});
