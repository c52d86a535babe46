import { createHmac } from 'node:crypto';
import type { Deps } from '#host/http/deps';
import type { PaymentProvider } from './provider';
import { createSandbox } from './sandbox/sandbox';

interface PaymentSettings {
  PAYMENTS: 'sandbox' | 'stripe';
  STRIPE_SECRET_KEY?: string | undefined;
  STRIPE_WEBHOOK_SECRET?: string[] | undefined;
  HOST_PUBLIC_URL: string;
  PUBLIC_URL: string;
  APP_NAME: string;
  JWT_SECRET: string[];
}

/** The configured payment provider. Stripe's library is loaded only if Stripe is used. */
export async function createPayments(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'random'>,
  env: PaymentSettings,
): Promise<PaymentProvider> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } = env;
  if (env.PAYMENTS === 'stripe' && secretKey && webhookSecrets) {
    const { createStripe } = await import('./stripe/stripe');
    return createStripe({ secretKey, webhookSecrets });
  }
  return createSandbox({
    ...deps,
    hostUrl: env.HOST_PUBLIC_URL,
    publicUrl: env.PUBLIC_URL,
    appName: env.APP_NAME,
    // Derives its own secrets from existing ones, so that trying the product needs no further settings.
    secrets: env.JWT_SECRET.map((secret) =>
      createHmac('sha256', secret).update('sandbox webhooks').digest('hex'),
    ),
  });
}
