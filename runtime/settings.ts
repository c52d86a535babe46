import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopbackAddress } from '#contract/own-addresses';
import { StartupError } from './startup-error';

/** Environment variables of a program. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A base address that paths are added to: http or https, without slashes at the end. */
export const AddressSetting = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .refine((address) => !/[?#]/.test(address), 'must contain neither ? nor #')
  .transform((address) => address.replace(/\/+$/, ''));

/** Name of a request header in lower case; null for `off`. */
export const HeaderSetting = z
  .string()
  .default('off')
  .transform((name) => (name === 'off' ? null : name.toLowerCase()));

/** Comma-separated IP addresses and networks of proxies, such as `10.0.0.7, fd00::/64`. */
export const ProxiesSetting = z
  .string()
  .default('')
  .transform((list) => list.split(',').flatMap((network) => network.trim() || []))
  .refine((list) => list.every(isNetwork), 'must be IP addresses, or networks such as 10.0.0.0/8');

function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return Number(prefix) <= bits;
}

/** Comma-separated secrets: the first signs, all verify. */
export const SecretsSetting = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .refine((list) => list.every((secret) => secret.length >= 32), 'each secret needs 32 characters or more');

/** `1` allows what the program would otherwise refuse. */
const AllowSetting = z
  .enum(['0', '1'])
  .default('0')
  .transform((value) => value === '1');

/** Whether HSTS covers the subdomains of an address with TLS. */
export const HstsSubdomainsSetting = z
  .enum(['on', 'off'])
  .default('on')
  .transform((value) => value === 'on');

/** On shutdown, the seconds during which health checks fail but new connections are still accepted. */
export const DrainSetting = z.coerce.number().min(0).max(60).default(2);

export const LogLevelSetting = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  .default('info');

/**
 * Reads a program's settings; throws one readable list of everything that is wrong, including `problems` found
 * elsewhere. Empty variables count as unset.
 */
export function readSettings<S extends z.ZodType>(
  schema: S,
  source: Environment,
  problems: readonly string[] = [],
): z.output<S> {
  const parsed = schema.safeParse(givenSettings(source));
  const listed = problems.map((problem) => `✖ ${problem}`);
  if (!parsed.success)
    throw new StartupError(`Settings: ${[z.prettifyError(parsed.error), ...listed].join('\n')}`);
  if (listed.length > 0) throw new StartupError(`Settings: ${listed.join('\n')}`);
  return parsed.data;
}

export function givenSettings(source: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) => (value ? [[name, value] as const] : [])),
  );
}

export type Program = 'host' | 'website';

/** Each allows a publicly reachable program to start with something meant for trying the product out. */
export const AllowSettings = {
  ALLOW_SANDBOX_PAYMENTS: AllowSetting,
  ALLOW_UNSENT_MAIL: AllowSetting,
  ALLOW_OPEN_MAILBOX: AllowSetting,
  ALLOW_GENERATED_SECRETS: AllowSetting,
};
type Allowance = keyof typeof AllowSettings;

/**
 * Settings that are fine for trying the product out but unsafe once other machines reach PUBLIC_URL, each with the
 * setting that fixes it and the one that allows it. `programs` are those that start together here.
 */
export function findUnsafeSettings(source: Environment, programs: readonly Program[]): string[] {
  const given = givenSettings(source);
  const { PUBLIC_URL = '' } = given;
  if (!URL.canParse(PUBLIC_URL) || isLoopbackAddress(PUBLIC_URL)) return [];
  const problems: string[] = [];
  const refuse = (what: string, fix: string, allowance: Allowance) => {
    if (given[allowance] !== '1') problems.push(`${what}: ${fix}, or allow it with ${allowance}=1`);
  };
  if (programs.includes('host')) {
    if ((given.PAYMENTS ?? 'sandbox') === 'sandbox') {
      refuse(
        'payments go to the sandbox, which charges nobody',
        'set PAYMENTS=stripe',
        'ALLOW_SANDBOX_PAYMENTS',
      );
    }
    if (!given.SMTP_URL) {
      refuse('no mail leaves, not even to new customers', 'set SMTP_URL', 'ALLOW_UNSENT_MAIL');
      const mailbox = 'every program on this machine can read all mails at /mailbox';
      refuse(mailbox, 'set SMTP_URL', 'ALLOW_OPEN_MAILBOX');
    }
  }
  const secrets = [
    programs.includes('host') && 'JWT_SECRET',
    programs.includes('website') && 'SESSION_SECRET',
    // Programs that start together are given a shared one.
    programs.length < 2 && 'INTERNAL_SECRET',
  ];
  for (const secret of secrets) {
    if (!secret || given[secret]) continue;
    const what = `${secret} would be one that this machine makes up and no other knows`;
    refuse(what, 'set it to 32 random characters or more', 'ALLOW_GENERATED_SECRETS');
  }
  return problems;
}

/** Settings of one program without which those of another, started with it, do not work. */
export function findUnpairedSettings(source: Environment, programs: readonly Program[]): string[] {
  const { CAPTCHA_SITE_KEY, CAPTCHA_SECRET } = givenSettings(source);
  if (programs.length < 2 || Boolean(CAPTCHA_SITE_KEY) === Boolean(CAPTCHA_SECRET)) return [];
  return [CAPTCHA_SECRET ? 'CAPTCHA_SECRET needs CAPTCHA_SITE_KEY' : 'CAPTCHA_SITE_KEY needs CAPTCHA_SECRET'];
}
