import { z } from 'zod';

/** An address that others are built from by adding a path: http or https, without slashes at its end. */
export const AddressSetting = z
  .url({ protocol: /^https?$/, error: 'is an address that begins with http:// or https://' })
  .refine((address) => !/[?#]/.test(address), 'has no ? and no #')
  .transform((address) => address.replace(/\/+$/, ''));

/** Name of a request header in lower case; null for `off`. */
export const HeaderSetting = z
  .string()
  .default('off')
  .transform((name) => (name === 'off' ? null : name.toLowerCase()));

/** Secrets by comma: the first signs, all verify. */
export const SecretsSetting = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .refine((list) => list.every((secret) => secret.length >= 32), 'each secret needs 32 characters or more');

/** Seconds between the first failing health check and the last new connection, when a program is told to stop. */
export const DrainSetting = z.coerce.number().min(0).max(60).default(2);

export const LogLevelSetting = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  .default('info');

/** Reads a program's settings; throws a list of what is wrong for people to read. Empty variables count as unset. */
export function readSettings<S extends z.ZodType>(schema: S, source: NodeJS.ProcessEnv): z.output<S> {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new Error(`Settings: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
