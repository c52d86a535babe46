import pino from 'pino';
import { env } from './env.server';

/** To standard error: remix-serve's own request lines on standard output carry whole addresses, tokens included. */
export const log = pino(
  {
    name: 'web',
    level: env.LOG_LEVEL,
    redact: { paths: ['*.password', '*.token', '*.authorization', '*.cookie'], remove: true },
  },
  pino.destination(2),
);
