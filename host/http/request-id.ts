import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { headerOf } from './client-ip';

/** The id that a request came with, if valid, or a new one. */
export function requestIdOf(context: Context): string {
  const given = headerOf(context, 'x-request-id');
  return given !== undefined && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}
