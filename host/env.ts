import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { websitesAt } from '#host/http/client-address';
import { identitySettings } from '#host/plans/identity';

const port = z.coerce.number().int().min(0).max(65_535);
const secrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .refine((list) => list.every((secret) => secret.length >= 32), 'each secret needs 32 characters or more');
const whole = (least: number) => z.coerce.number().int().min(least).max(1_000_000);

/** Name of a request header in lower case; null for `off`. */
const header = z
  .string()
  .default('off')
  .transform((name) => (name === 'off' ? null : name.toLowerCase()));

/** Machines, as addresses and networks by comma. */
const websites = z
  .string()
  .default('')
  .transform((list, context) => {
    const found = websitesAt(list.split(',').flatMap((place) => place.trim() || []));
    if (found) return found;
    context.addIssue({ code: 'custom', message: 'is a list such as 10.0.0.7,fd00::/8' });
    return z.NEVER;
  });

/** Settings of the host. The website reads its own in app/http/env.server.ts; .env.example lists both. */
export const HostSettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  CONTACT_EMAIL: z.email().default('contact@quadrille.example'),
  PUBLIC_URL: z.url().default('http://localhost:3000'),
  SHORT_URL: z.url().optional(),
  HOST_PORT: port.default(4000),
  /** Address the host binds; loopback unless other machines reach it. */
  HOST_ADDRESS: z.string().default('127.0.0.1'),
  /** Where others reach this host; the pages of the payment sandbox are served there. */
  HOST_URL: z.url().optional(),
  DATABASE_URL: z.string().optional(),
  DATA_DIR: z.string().default('./data'),
  JWT_SECRET: secrets.optional(),
  /** Websites on other machines; those on this one are known. */
  WEBSITE_ADDRESSES: websites,
  TRUST_PROXY: header,
  COUNTRY_HEADER: header,
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, 'begins with smtp:// or smtps://')
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*@[^\s>]+>?$/, 'is written as: Name <address>')
    .optional(),
  PAYMENTS: z.enum(['sandbox', 'stripe']).default('sandbox'),
  STRIPE_SECRET_KEY: z.string().optional(),
  /** Of the webhook endpoint; a comma-separated list while it is rotated. */
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_ISSUER: z.url().default('https://accounts.google.com'),
  CAPTCHA_SECRET: z.string().optional(),
  CAPTCHA_VERIFY_URL: z.url().default('https://www.google.com/recaptcha/api/siteverify'),
  PRICE_MONTHLY_CENTS: whole(1).default(990),
  TRIAL_HOURS: whole(0).default(48),
  WITHDRAWAL_DAYS: whole(0).default(14),
  REFUND_MIN_DAYS: whole(0).default(3),
  REFUND_MAX_DAYS: whole(0).default(10),
  ...identitySettings,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type HostEnv = Omit<
  z.infer<typeof HostSettings>,
  'SHORT_URL' | 'HOST_URL' | 'JWT_SECRET' | 'MAIL_FROM'
> & {
  SHORT_URL: string;
  HOST_URL: string;
  MAIL_FROM: string;
  JWT_SECRET: string[];
};

/** Parses the environment once; throws a readable list of what is wrong. Empty variables count as unset. */
export function readEnv(source: NodeJS.ProcessEnv = process.env): HostEnv {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = HostSettings.safeParse(given);
  if (!parsed.success) throw new Error(`Settings: ${z.prettifyError(parsed.error)}`);
  const env = parsed.data;
  if (env.DATABASE_URL && !env.JWT_SECRET) {
    throw new Error('Settings: JWT_SECRET is required together with DATABASE_URL');
  }
  if (env.PAYMENTS === 'stripe' && !(env.STRIPE_SECRET_KEY && env.STRIPE_WEBHOOK_SECRET)) {
    throw new Error('Settings: PAYMENTS=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET');
  }
  return {
    ...env,
    HOST_URL: (env.HOST_URL ?? `http://127.0.0.1:${env.HOST_PORT}`).replace(/\/$/, ''),
    SHORT_URL: env.SHORT_URL ?? env.PUBLIC_URL,
    MAIL_FROM: env.MAIL_FROM ?? `${env.APP_NAME} <${env.CONTACT_EMAIL}>`,
    JWT_SECRET: env.JWT_SECRET ?? [keptSecret(env.DATA_DIR, 'jwt-secret')],
  };
}

function keptSecret(folder: string, name: string): string {
  const file = join(folder, name);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(folder, { recursive: true });
  const secret = randomBytes(32).toString('hex');
  writeFileSync(file, secret, { mode: 0o600 });
  return secret;
}
