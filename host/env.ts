import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { identitySettings } from '#host/plans/identity';
import { readInternalKeys } from '#runtime/internal-key';
import { MetricsTokenSetting } from '#runtime/metrics';
import {
  AddressSetting,
  AllowSettings,
  DrainSetting,
  type Environment,
  findUnsafeSettings,
  givenSettings,
  HeaderSetting,
  HstsSubdomainsSetting,
  LogLevelSetting,
  ProxiesSetting,
  readSettings,
  SecretsSetting,
} from '#runtime/settings';
import { StartupError } from '#runtime/startup-error';
import { loadOrCreateSecret } from '#runtime/stored-secret';

const port = z.coerce.number().int().min(0).max(65_535);
const wholeNumber = (least: number) => z.coerce.number().int().min(least).max(1_000_000);

/** Settings of the host. The website reads its own in app/http/env.server.ts; .env.example lists both. */
export const HostSettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  CONTACT_EMAIL: z.email().default('contact@quadrille.example'),
  PUBLIC_URL: AddressSetting.default('http://localhost:3000'),
  SHORT_URL: AddressSetting.optional(),
  HOST_PORT: port.default(4000),
  /** Address the host binds; loopback unless other machines reach it. */
  HOST_ADDRESS: z.string().default('127.0.0.1'),
  HSTS_SUBDOMAINS: HstsSubdomainsSetting,
  ...AllowSettings,
  /** The URL under which browsers reach this host, for the pages of the payment sandbox. */
  HOST_PUBLIC_URL: AddressSetting.optional(),
  DRAIN_SECONDS: DrainSetting,
  DATABASE_URL: z.string().optional(),
  /** Set by whatever runs the embedded server; DATABASE_URL takes precedence. */
  EMBEDDED_DATABASE_URL: z.string().optional(),
  /** The server itself, if DATABASE_URL is a pooler. */
  DATABASE_DIRECT_URL: z.string().optional(),
  /** A replica of the server, for reading codes, lists and figures. */
  DATABASE_READ_URL: z.string().optional(),
  /** Maximum number of connections to the server, for pages and for scans and visits. */
  DATABASE_CONNECTIONS: z.coerce.number().int().min(1).max(1_000).default(10),
  DATABASE_SCAN_CONNECTIONS: z.coerce.number().int().min(1).max(1_000).default(4),
  DATA_DIR: z.string().default('./data'),
  /** Megabytes of visits that may wait in DATA_DIR for the database. */
  SPOOL_MAX_MB: wholeNumber(1).default(1024),
  /** Maximum number of cached codes. */
  KNOWN_CODES: z.coerce.number().int().min(1_000).max(10_000_000).default(200_000),
  JWT_SECRET: SecretsSetting.optional(),
  /** Shared with the gateway and the website: proves that they may name a visitor's IP address and country. */
  INTERNAL_SECRET: SecretsSetting.optional(),
  METRICS_TOKEN: MetricsTokenSetting,
  /** The URL by which websites call this host; if set here too, the host accepts its name. */
  HOST_URL: AddressSetting.optional(),
  TRUST_PROXY: HeaderSetting,
  TRUSTED_PROXIES: ProxiesSetting,
  COUNTRY_HEADER: HeaderSetting,
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
  /** Secret of the webhook endpoint; a comma-separated list during rotation. */
  STRIPE_WEBHOOK_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_ISSUER: z.url().default('https://accounts.google.com'),
  /** List in which new passwords are looked up by the first digits of their SHA-1. */
  BREACHED_PASSWORDS_URL: AddressSetting.optional(),
  /** Register in which VAT numbers of other member states are looked up. */
  VIES_URL: AddressSetting.optional(),
  /** Whether the destinations of codes are asked once a day. */
  CHECK_DESTINATIONS: z.stringbool().default(true),
  CAPTCHA_SECRET: z.string().optional(),
  CAPTCHA_VERIFY_URL: z.url().default('https://www.google.com/recaptcha/api/siteverify'),
  /** Total size of the uploaded logos of one account, in megabytes. */
  ACCOUNT_LOGOS_MB: wholeNumber(1).default(20),
  PRICE_MONTHLY_CENTS: wholeNumber(1).default(990),
  TRIAL_HOURS: wholeNumber(0).default(48),
  WITHDRAWAL_DAYS: wholeNumber(0).default(14),
  REFUND_MIN_DAYS: wholeNumber(0).default(3),
  REFUND_MAX_DAYS: wholeNumber(0).default(10),
  /** A withdrawal must be paid back within 14 days of its declaration: the period leaves time for it. */
  OBJECTION_HOURS: z.coerce.number().int().min(24).max(168).default(72),
  ...identitySettings,
  LOG_LEVEL: LogLevelSetting,
});

export type HostEnv = Omit<
  z.infer<typeof HostSettings>,
  'SHORT_URL' | 'HOST_PUBLIC_URL' | 'JWT_SECRET' | 'INTERNAL_SECRET' | 'MAIL_FROM'
> & {
  SHORT_URL: string;
  HOST_PUBLIC_URL: string;
  MAIL_FROM: string;
  JWT_SECRET: string[];
  /** The keys derived from INTERNAL_SECRET: the first is sent, all are accepted. */
  internalKeys: string[];
};

/** Connection string of the database: the operator's server, or the embedded one. */
export function databaseUrlOf(env: Pick<HostEnv, 'DATABASE_URL' | 'EMBEDDED_DATABASE_URL'>): string {
  const url = env.DATABASE_URL ?? env.EMBEDDED_DATABASE_URL;
  if (url === undefined)
    throw new StartupError(
      'There is no database: set DATABASE_URL, or start with "npm start" or "npm run start:host", which run one.',
    );
  return url;
}

/** The settings that locate the database, for maintenance commands that need no secrets. */
export function readDatabasePlace(source: NodeJS.ProcessEnv = process.env) {
  const settings = {
    DATABASE_URL: true,
    DATABASE_DIRECT_URL: true,
    EMBEDDED_DATABASE_URL: true,
    DATA_DIR: true,
  } as const;
  return readSettings(HostSettings.pick(settings), source, withoutDatabase(givenSettings(source)));
}

/** File in DATA_DIR: the generated JWT_SECRET, if none is configured. */
const JWT_SECRET_FILE = 'jwt-secret';

/** Where a host keeps its own copies of visits and codes. */
export function visitStorageOf(env: Pick<HostEnv, 'DATA_DIR' | 'SPOOL_MAX_MB' | 'KNOWN_CODES'>) {
  return {
    folder: join(env.DATA_DIR, 'visits'),
    spoolBytes: env.SPOOL_MAX_MB * 1024 * 1024,
    knownCodes: env.KNOWN_CODES,
  };
}

const ConsistentSettings = HostSettings.refine(
  ({ REFUND_MIN_DAYS, REFUND_MAX_DAYS }) => REFUND_MIN_DAYS <= REFUND_MAX_DAYS,
  'REFUND_MIN_DAYS must not exceed REFUND_MAX_DAYS',
);

/** Reads the settings; throws a human-readable list of errors. */
export function readEnv(source: Environment = process.env): HostEnv {
  const { INTERNAL_SECRET, ...env } = readSettings(ConsistentSettings, source, [
    ...missingSettings(givenSettings(source)),
    ...findUnsafeSettings(source, ['host']),
  ]);
  return {
    ...env,
    HOST_PUBLIC_URL: env.HOST_PUBLIC_URL ?? `http://127.0.0.1:${env.HOST_PORT}`,
    SHORT_URL: env.SHORT_URL ?? env.PUBLIC_URL,
    MAIL_FROM: env.MAIL_FROM ?? `${env.APP_NAME} <${env.CONTACT_EMAIL}>`,
    JWT_SECRET: env.JWT_SECRET ?? [loadOrCreateSecret(env.DATA_DIR, JWT_SECRET_FILE)],
    internalKeys: readInternalKeys({ INTERNAL_SECRET, DATA_DIR: env.DATA_DIR }),
  };
}

/** With another secret, all authenticator apps whose keys were moved with the database would stop working. */
function existingSecretHint({ DATA_DIR = './data' }: Record<string, string>): string {
  const file = resolve(DATA_DIR, JWT_SECRET_FILE);
  return existsSync(file) ? `; if the data was moved from this DATA_DIR, use the contents of ${file}` : '';
}

/** Settings that other settings require. */
function missingSettings(given: Record<string, string>): string[] {
  const { DATABASE_URL, JWT_SECRET, PAYMENTS, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET } = given;
  const problems = withoutDatabase(given);
  if (DATABASE_URL && !JWT_SECRET)
    problems.push(`JWT_SECRET is required together with DATABASE_URL${existingSecretHint(given)}`);
  if (PAYMENTS === 'stripe' && !(STRIPE_SECRET_KEY && STRIPE_WEBHOOK_SECRET)) {
    problems.push('PAYMENTS=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET');
  }
  return problems;
}

/** Other addresses of a server whose own is not given. */
function withoutDatabase(given: Record<string, string>): string[] {
  if (given.DATABASE_URL) return [];
  const others = ['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'].filter((name) => given[name]);
  return others.map((name) => `${name} needs DATABASE_URL`);
}
