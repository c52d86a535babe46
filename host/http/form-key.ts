import { createHash } from 'node:crypto';

/**
 * Under which the first result of a form is kept: the same for a form that is sent twice, another for one that was
 * edited after it was sent, as browsers show it again with its old key.
 */
export function formKeyOf(key: string, sent: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([key, sent]))
    .digest('base64url');
}
