import { randomUUID } from 'node:crypto';

export const REQUEST_ID_HEADER = 'x-request-id';

/** The id that a request came with, if valid, or a new one. */
export function resolveRequestId(given: string | null | undefined): string {
  return given && /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}
