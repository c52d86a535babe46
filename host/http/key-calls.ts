import type { Context } from 'hono';
import { type Call, Id } from '#contract/call';
import type { Orm } from '#host/db/client';
import { bearerOf, type Caller, isKeySecret } from './caller';
import { ApiError, isRateLimited } from './errors';
import type { RateLimit, RateUsage } from './rate-limit';
import { headerOf } from './request-headers';

/** What calls need to know of API keys. */
export interface KeyAccess {
  /**
   * By the secret of a key, or an access token for this resource; throws `unauthenticated` if it is malformed, unknown,
   * revoked or past its end.
   */
  authenticate(secret: string, resource: 'api' | 'mcp'): Promise<Caller>;
  /** Takes a point of a key's limit; throws `rate_limited`. */
  count(keyId: string, limit: RateLimit): Promise<RateUsage>;
  /** Whether a caller who is limited to a tag finds what a call of this path names. */
  finds(caller: Caller, path: string, id: string): Promise<boolean>;
}

/** What calls for programs need. */
export interface PublicApi {
  keys: KeyAccess;
  orm: Orm;
  now(): Date;
  /** What an access token has to be for. */
  resourceOf(context: Context): 'api' | 'mcp';
  /** Whether a call is part of a request that has counted against the limit of the key. */
  isCounted(context: Context): boolean;
  /** Stored answers may contain a secret: these encrypt them for an owner, and decrypt them for the same one. */
  seal(text: string, owner: string): string;
  unseal(sealed: string, owner: string): string;
}

/** Calls of one key, on any host. */
export const CALLS_PER_KEY: RateLimit = { name: 'api-key', points: 300, windowSeconds: 60 };

/** The secret of an API key that a request comes with. */
export function keyOf(context: Context): string | undefined {
  const bearer = bearerOf(context);
  return isKeySecret(bearer) ? bearer : undefined;
}

/**
 * The caller of a request with an API key; throws `unauthenticated`, `rate_limited`, `origin_not_allowed` if a page sent it
 * whose origin the key does not name, or `forbidden` if no key, or not this one, may make the call.
 */
export async function authenticateKey(
  { keys, resourceOf, isCounted }: PublicApi,
  call: Call,
  secret: string,
  context: Context,
  { onCount, onNamed }: { onCount: (usage: RateUsage) => void; onNamed: (origin: string) => void },
): Promise<Caller> {
  const caller = await keys.authenticate(secret, resourceOf(context));
  const origin = headerOf(context, 'origin');
  const isNamed = origin !== undefined && caller.key?.origins.includes(origin);
  if (isNamed) onNamed(origin);
  try {
    if (!isCounted(context)) onCount(await keys.count(caller.key?.id ?? '', CALLS_PER_KEY));
  } catch (thrown) {
    if (isRateLimited(thrown)) onCount({ remaining: 0, resetSeconds: thrown.retryAfterSeconds ?? 0 });
    throw thrown;
  }
  const holder = { account: caller.accountId, key: caller.key?.id ?? '' };
  if (origin !== undefined && !isNamed) throw new ApiError('origin_not_allowed', { holder });
  if (call.key === undefined) throw new ApiError('forbidden', { holder });
  if (call.key === 'change' && caller.key?.permission !== 'change')
    throw new ApiError('forbidden', { holder, scope: 'change', detail: 'This key may only read.' });
  if (call.wholeAccount && caller.tag) {
    const detail = 'This key is limited to a tag, and this call is about the whole account.';
    throw new ApiError('forbidden', { holder, detail });
  }
  return caller;
}

/** Throws `not_found` if the call is about something that a key with a tag does not find. */
export async function requireWithinTag(
  access: KeyAccess,
  call: Call,
  caller: Caller,
  params: unknown,
): Promise<void> {
  const { success, data } = Id.safeParse((params as { id?: unknown } | undefined)?.id);
  if (caller.tag && success && !(await access.finds(caller, call.path, data)))
    throw new ApiError('not_found');
}
