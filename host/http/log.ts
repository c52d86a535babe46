import pino, { type Logger } from 'pino';

/** JSON lines on standard output; whatever could hold a secret is cut out. */
export function createLog(name: string, level: string): Logger {
  return pino({
    name,
    level,
    redact: { paths: ['*.password', '*.token', '*.authorization', '*.cookie'], remove: true },
  });
}
