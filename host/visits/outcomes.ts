import type { Context } from 'hono';
import { bearerOf } from '#host/http/caller';
import { headerOf } from '#host/http/client-ip';
import type { Authenticate } from '#host/http/mount';
import type { Refusal } from './answers';
import { withTimeout } from './in-time';
import type { KnownCode } from './packed-code';
import type { Visit } from './visit';

export type Outcome = Visit['outcome'];

export const REFUSAL_OF: Record<Exclude<Outcome, 'served'>, Refusal> = {
  private: 'code_private',
  unknown: 'code_unknown',
  deleted: 'code_deleted',
};
const OWNER_WAIT_MS = 1_000;

/** The image of a wifi code holds the network itself, so its address leads nowhere. */
export function outcomeOf(code: KnownCode | null, isOwner: boolean): Outcome {
  if (!code || code.type === 'wifi') return 'unknown';
  if (code.isDeleted) return 'deleted';
  return code.isPrivate && !isOwner ? 'private' : 'served';
}

/** The website hands on the token of its signed-in visitor. Whatever is wrong with it makes a stranger, no more. */
export async function isOwnedByCaller(
  context: Context,
  code: KnownCode,
  authenticate: Authenticate,
): Promise<boolean> {
  const token = bearerOf(context);
  if (!token) return false;
  return withTimeout(authenticate(token), OWNER_WAIT_MS).then(
    ({ accountId }) => accountId === code.accountId,
    () => false,
  );
}

export function wantsJson(context: Context): boolean {
  return headerOf(context, 'accept')?.includes('application/json') ?? false;
}

/** What cannot be a slug, as far as it is safe in an address. */
export function nameOf(typed: string): string {
  return typed.replace(/[^\w-]/g, '').slice(0, 64) || 'unknown';
}
