import pino from 'pino';
import { env } from './env.server';

export const log = pino({
  name: 'web',
  level: env.LOG_LEVEL,
  redact: { paths: ['*.password', '*.token', '*.authorization', '*.cookie'], remove: true },
});
