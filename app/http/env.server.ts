import type { z } from 'zod';
import { keptSecret } from '#contract/kept-secret';
import { readSettings } from '#contract/setting-fields';
import { WebSettings } from './env-schema.server';

export type WebEnv = Readonly<
  Omit<z.infer<typeof WebSettings>, 'HOST_URL' | 'HOST_PUBLIC_URL' | 'SESSION_SECRET'> & {
    HOST_URL: string;
    HOST_PUBLIC_URL: string;
    SESSION_SECRET: string[];
  }
>;

function readEnv(source: NodeJS.ProcessEnv): WebEnv {
  const settings = readSettings(WebSettings, source);
  const { HOST_URL = `http://127.0.0.1:${settings.HOST_PORT}`, HOST_PUBLIC_URL = HOST_URL } = settings;
  return Object.freeze({
    ...settings,
    HOST_URL,
    HOST_PUBLIC_URL,
    SESSION_SECRET: settings.SESSION_SECRET ?? [keptSecret(settings.DATA_DIR, 'session-secret')],
  });
}

export const env = readEnv(process.env);
