import pino from 'pino';
import { env } from './env.server';

/** Logs to standard error, as remix-serve writes full URLs, tokens included, to standard output. */
export const log = pino(
  {
    name: 'web',
    level: env.LOG_LEVEL,
    redact: { paths: ['*.password', '*.token', '*.authorization', '*.cookie'], remove: true },
  },
  pino.destination(2),
);
