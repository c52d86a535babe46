import { createHash } from 'node:crypto';

/**
 * The idempotency key under which the result of a form is stored: the same for a form sent twice, another for one that
 * was edited after it was sent, as browsers restore it with its old key.
 */
export function formKeyOf(key: string, fields: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([key, fields]))
    .digest('base64url');
}
