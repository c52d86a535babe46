import type { Logger } from 'pino';
import type { Database } from '#host/db/client';

/** Everything that reaches the host from outside. Tests hand in their own. */
export interface Deps {
  db: Database;
  clock: { now(): Date };
  log: Logger;
  /** Random bytes, from the operating system in production. */
  random(bytes: number): Uint8Array;
  settings: {
    appName: string;
    contactEmail: string;
    publicUrl: string;
    shortUrl: string;
    jwtSecrets: string[];
    trustProxy: string | null;
  };
}
