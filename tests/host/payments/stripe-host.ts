import pino from 'pino';
import { findAccountByEmail } from '#host/accounts/store';
import { createStripe } from '#host/payments/stripe';
import { createTestHost } from '../../support/host';
import { checkout, placeOrder } from '../../support/ordering';
import { openStripeStandIn, STAND_IN_KEY, STAND_IN_SECRET } from './stripe-stand-in';

export type StripeHost = Awaited<ReturnType<typeof openStripeHost>>;

/** A host with Stripe payments, and the stand-in for Stripe. */
export async function openStripeHost() {
  const stripe = await openStripeStandIn();
  const { connection } = stripe;
  const lines: string[] = [];
  const host = await createTestHost({
    log: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }),
    payments: () =>
      createStripe({ secretKey: STAND_IN_KEY, webhookSecrets: ['whsec_older', STAND_IN_SECRET], connection }),
  });

  function webhook(type: string, object: Record<string, unknown>) {
    const { payload, signature } = stripe.event(type, object);
    const headers = { 'stripe-signature': signature };
    return host.request('/api/webhooks/payments', { method: 'POST', body: payload, headers });
  }

  return {
    host,
    stripe,
    /** Log lines of level error. */
    lines,
    webhook,
    /** Places an order, enters a card and sends the webhook. */
    buy: async (fields: Record<string, unknown> = {}, fingerprint?: string) => {
      const body = checkout(fields);
      const placed = await placeOrder(host, body);
      const sessionId = placed.redirectUrl.split('/').at(-1) ?? '';
      stripe.enterCard(sessionId, '4242', fingerprint);
      const session = { id: sessionId, object: 'checkout.session' };
      const answered = await webhook('checkout.session.completed', session);
      if (answered.status !== 200) throw new Error(`webhook refused: ${await answered.text()}`);
      const account = await findAccountByEmail(host.db.orm, body.email);
      return { body, email: body.email, placed, sessionId, accountId: account?.id ?? '' };
    },
    /** Ends the delay of jobs that failed. */
    waitOut: () => host.db.orm.execute(`update jobs set claimed_until = now() - interval '1 second'`),
    close: async () => {
      await host.close();
      await stripe.close();
    },
  };
}
