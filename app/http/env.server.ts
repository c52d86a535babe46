import type { z } from 'zod';
import { readInternalKeys } from '#runtime/internal-key';
import { readSessionSecrets } from '#runtime/session-cookies';
import { findUnsafeSettings, readSettings } from '#runtime/settings';
import { orExit } from '#runtime/startup-error';
import { WebSettings } from './env-schema.server';

export type WebEnv = Readonly<
  Omit<z.infer<typeof WebSettings>, 'HOST_URL' | 'HOST_PUBLIC_URL' | 'SESSION_SECRET' | 'INTERNAL_SECRET'> & {
    HOST_URL: string;
    HOST_PUBLIC_URL: string;
    SESSION_SECRET: string[];
    /** Derived from INTERNAL_SECRET: the first is sent, all are accepted. */
    internalKeys: string[];
  }
>;

function readEnv(source: NodeJS.ProcessEnv): WebEnv {
  const unsafe = findUnsafeSettings(source, ['website']);
  const { INTERNAL_SECRET, SESSION_SECRET, ...settings } = readSettings(WebSettings, source, unsafe);
  const { HOST_URL = `http://127.0.0.1:${settings.HOST_PORT}`, HOST_PUBLIC_URL = HOST_URL } = settings;
  return Object.freeze({
    ...settings,
    HOST_URL,
    HOST_PUBLIC_URL,
    SESSION_SECRET: readSessionSecrets({ SESSION_SECRET, DATA_DIR: settings.DATA_DIR }),
    internalKeys: readInternalKeys({ INTERNAL_SECRET, DATA_DIR: settings.DATA_DIR }),
  });
}

export const env = orExit(() => readEnv(process.env));
