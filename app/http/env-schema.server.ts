import { z } from 'zod';
import { MetricsTokenSetting } from '#runtime/metrics';
import {
  AddressSetting,
  AllowSettings,
  DrainSetting,
  HeaderSetting,
  HstsSubdomainsSetting,
  LogLevelSetting,
  ProxiesSetting,
  SecretsSetting,
} from '#runtime/settings';

/** Settings of the website; .env.example lists them together with the host's. */
export const WebSettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  CONTACT_EMAIL: z.email().default('contact@quadrille.example'),
  PUBLIC_URL: AddressSetting.default('http://localhost:3000'),
  /** A short domain for codes; the gateway serves it too. */
  SHORT_URL: AddressSetting.optional(),
  HSTS_SUBDOMAINS: HstsSubdomainsSetting,
  ...AllowSettings,
  HOST_URL: AddressSetting.optional(),
  /** Address of the host for browsers, if different: it serves the pages of the payment sandbox. */
  HOST_PUBLIC_URL: AddressSetting.optional(),
  HOST_PORT: z.coerce.number().int().default(4000),
  DATA_DIR: z.string().default('./data'),
  SESSION_SECRET: SecretsSetting.optional(),
  /** Shared with the gateway and the host. */
  INTERNAL_SECRET: SecretsSetting.optional(),
  /** Of the captcha (developers.google.com/recaptcha, version 3); without it, forms have none. */
  CAPTCHA_SITE_KEY: z
    .string()
    .regex(/^[\w-]+$/, 'consists of letters, digits, - and _')
    .optional(),
  /** Sign-in with Google is offered when both are set; the host needs the client's id too. */
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_ISSUER: z.url().default('https://accounts.google.com'),
  /** Id of the Google tag, such as G-ABC123; without it, pages contain no analytics at all. */
  ANALYTICS_ID: z
    .string()
    .regex(/^[A-Z]{1,3}-[A-Z0-9-]+$/, 'looks like G-ABC123')
    .optional(),
  ANALYTICS_SCRIPT_URL: z.url().default('https://www.googletagmanager.com/gtag/js'),
  DRAIN_SECONDS: DrainSetting,
  TRUST_PROXY: HeaderSetting,
  TRUSTED_PROXIES: ProxiesSetting,
  COUNTRY_HEADER: HeaderSetting,
  METRICS_TOKEN: MetricsTokenSetting,
  LOG_LEVEL: LogLevelSetting,
});
