import { z } from 'zod';
import { EmailField } from './account-fields';
import { call, Done } from './call';
import { isStorable } from './storable';
import { PaymentIntent } from './transactions';

/** The response does not depend on the outcome. At most three times an hour per order. */
export const resendOrderMail = call({
  name: 'resendOrderMail',
  method: 'POST',
  path: '/api/subscriptions/mail',
  summary:
    'Mail the confirmation of an order again, with a new link to set up the account if that is still to be done',
  access: 'public',
  beyond: true,
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
  beyond: true,
  body: z.object({
    payment_intent_id: PaymentIntent,
    visitor: z.string().max(100).refine(isStorable),
    email: EmailField,
  }),
  response: Done,
  errors: ['invalid', 'not_found', 'rate_limited'],
});
