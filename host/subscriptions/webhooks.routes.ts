import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { bodyLimits, readText } from '#host/http/request-body';
import { WebhookRefused } from '#host/payments/provider';
import { runBillingJob } from './billing-work';
import { keepEvent } from './provider-events';

/** An event holds the whole object it is about, such as an invoice with all its lines. */
const EVENT_BYTES_LIMIT = 512 * 1024;

/**
 * What the payment provider tells. The signature is over the raw body, so nothing may parse it before. Once an event is
 * kept the answer is 200; work that fails is tried again from here, not by the provider.
 */
export function mountWebhooks({ app }: Router, deps: Deps): void {
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
    const key = event && (await keepEvent(deps, event, now));
    if (key) await runBillingJob(deps, key, now);
    return context.json({ received: true });
  });
}
