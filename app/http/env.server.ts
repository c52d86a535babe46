import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { WebSettings } from './env-schema.server';

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
