import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Settings of the website; .env.example lists them together with the host's. */
export const WebSettings = z.object({
  APP_NAME: z.string().default('Quadrille'),
  CONTACT_EMAIL: z.email().default('contact@quadrille.example'),
  PUBLIC_URL: z.url().default('http://localhost:3000'),
  HOST_URL: z.url().optional(),
  HOST_PORT: z.coerce.number().int().default(4000),
  DATA_DIR: z.string().default('./data'),
  SESSION_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .refine((list) => list.every((secret) => secret.length >= 32), 'each secret needs 32 characters or more')
    .optional(),
  TRUST_PROXY: z
    .string()
    .default('off')
    .transform((header) => (header === 'off' ? null : header.toLowerCase())),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type WebEnv = Readonly<
  Omit<z.infer<typeof WebSettings>, 'HOST_URL' | 'SESSION_SECRET'> & {
    HOST_URL: string;
    SESSION_SECRET: string[];
  }
>;

/** Parses the environment once; empty variables count as unset. */
function readEnv(source: NodeJS.ProcessEnv): WebEnv {
  const parsed = WebSettings.safeParse(
    Object.fromEntries(Object.entries(source).filter(([, value]) => value !== '')),
  );
  if (!parsed.success) throw new Error(`Settings: ${z.prettifyError(parsed.error)}`);
  const settings = parsed.data;
  return Object.freeze({
    ...settings,
    HOST_URL: settings.HOST_URL ?? `http://127.0.0.1:${settings.HOST_PORT}`,
    SESSION_SECRET: settings.SESSION_SECRET ?? [keptSecret(settings.DATA_DIR)],
  });
}

function keptSecret(folder: string): string {
  const file = join(folder, 'session-secret');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(folder, { recursive: true });
  const secret = randomBytes(32).toString('hex');
  writeFileSync(file, secret, { mode: 0o600 });
  return secret;
}

export const env = readEnv(process.env);
