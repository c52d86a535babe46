import { z } from 'zod';
import { EmailField } from './account-fields';
import { call, Done } from './call';
import { isStorable } from './storable';
import { PaymentIntent } from './transactions';

/** Answered the same whatever comes of it; three times an hour for one order. */
export const resendOrderMail = call({
  name: 'resendOrderMail',
  method: 'POST',
  path: '/api/subscriptions/mail',
  summary:
    'Mail the confirmation of an order again, with a fresh link to set the account up where it is not yet',
  access: 'public',
  beyond: true,
  body: z.object({ payment_intent_id: PaymentIntent }),
  response: Done,
  errors: ['invalid', 'not_found', 'rate_limited'],
});

/**
 * Only for the browser that placed the order (`visitor` is its key), within a day, and while nobody has used the mailed
 * link: the account that the order made gets the new address, the link before ends, the old address is told. Answered the
 * same where somebody has set the account up already, or had it before.
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
