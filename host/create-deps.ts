import { createHmac } from 'node:crypto';
import { createPasswords } from '#host/accounts/passwords';
import { createCaptchaVerifier } from '#host/http/captcha';
import type { Deps } from '#host/http/deps';
import { createMeters } from '#host/http/meters';
import { createKeptTransport, createSmtpTransport } from '#host/mail/transports';
import { identityOf, planSettingsOf } from '#host/plans/identity';
import { createProxyCheck } from '#runtime/client-address';
import { fetchWhole } from '#runtime/fetch-whole';
import { type HostEnv, visitStorageOf } from './env';
import type { PaymentProvider } from './http/payment-provider';
import { createPublicRequest } from './http/public-request';
import { createSandbox } from './payment-sandbox/sandbox';
import { endWithAccount } from './subscriptions/contract/ending';
import { openCountries, readInstalledDatabase } from './visits/receive/countries';

type ExternalDeps = Pick<Deps, 'db' | 'log' | 'clock' | 'random'>;

/** Creates the host's dependencies from the settings, with the given database and clock. */
export async function createDeps(external: ExternalDeps, env: HostEnv): Promise<Deps> {
  return {
    ...external,
    fetch: fetchWhole,
    requestPublic: createPublicRequest(),
    meters: createMeters(),
    payments: await createPayments(external, env),
    mail: env.SMTP_URL ? createSmtpTransport(env.SMTP_URL) : createKeptTransport(),
    passwords: createPasswords(),
    captcha: env.CAPTCHA_SECRET ? createCaptchaVerifier(env.CAPTCHA_SECRET, env.CAPTCHA_VERIFY_URL) : null,
    onAccountDeleted: [endWithAccount],
    countries: openCountries(readInstalledDatabase, external.log),
    visits: visitStorageOf(env),
    settings: {
      appName: env.APP_NAME,
      contactEmail: env.CONTACT_EMAIL,
      publicUrl: env.PUBLIC_URL,
      shortUrl: env.SHORT_URL,
      jwtSecrets: env.JWT_SECRET,
      breachedPasswordsUrl: env.BREACHED_PASSWORDS_URL ?? null,
      viesUrl: env.VIES_URL ?? null,
      hostPublicUrl: env.HOST_PUBLIC_URL,
      internalKeys: env.internalKeys,
      isProxy: createProxyCheck(env.TRUSTED_PROXIES),
      metricsToken: env.METRICS_TOKEN,
      trustProxy: env.TRUST_PROXY,
      countryHeader: env.COUNTRY_HEADER,
      google: { clientId: env.GOOGLE_CLIENT_ID ?? null, issuer: env.GOOGLE_ISSUER },
      mailFrom: env.MAIL_FROM,
      checksDestinations: env.CHECK_DESTINATIONS,
      accountLogosBytes: env.ACCOUNT_LOGOS_MB * 1024 * 1024,
      plans: planSettingsOf(env),
      identity: identityOf(env),
    },
  };
}

/** The configured payment provider. Stripe's library is loaded only if Stripe is used. */
async function createPayments(external: ExternalDeps, env: HostEnv): Promise<PaymentProvider> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } = env;
  if (env.PAYMENTS === 'stripe' && secretKey && webhookSecrets) {
    const { createStripe } = await import('./payments/stripe');
    return createStripe({ secretKey, webhookSecrets });
  }
  return createSandbox({
    ...external,
    hostUrl: env.HOST_PUBLIC_URL,
    publicUrl: env.PUBLIC_URL,
    appName: env.APP_NAME,
    // Derives its own secrets from existing ones, so that trying the product needs no further settings.
    secrets: env.JWT_SECRET.map((secret) =>
      createHmac('sha256', secret).update('sandbox webhooks').digest('hex'),
    ),
  });
}
