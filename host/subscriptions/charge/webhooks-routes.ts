import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { WebhookRefused } from '#host/http/payment-provider';
import { bodyLimits, readText } from '#host/http/request-body';
import { runBillingJob } from '#host/subscriptions/billing-work';
import { storeEvent } from './provider-events';

/** An event contains its whole object, such as an invoice with all its lines. */
const EVENT_BYTES_LIMIT = 512 * 1024;

/**
 * Webhooks of the payment provider. The signature covers the raw body, so it must be verified before any parsing. Once
 * an event is stored the response is 200; work that fails is retried from here, not by the provider.
 */
export function mountPaymentEvents({ app }: Router, deps: Deps): void {
  app.post('/api/webhooks/payments', async (context) => {
    const now = deps.clock.now();
    const rawBody = await readText(context, bodyLimits(EVENT_BYTES_LIMIT));
    const event = await deps.payments
      .readEvent(rawBody, (name) => context.req.header(name))
      .catch((error: unknown) => {
        if (!(error instanceof WebhookRefused)) throw error;
        context
          .get('log')
          .warn({ reason: error.message, clientIp: context.get('clientIp') }, 'webhook refused');
        throw new ApiError('malformed');
      });
    const key = event && (await storeEvent(deps, event, now));
    if (key) await runBillingJob(deps, key, now);
    return context.json({ received: true });
  });
}
