import type { Context } from 'hono';
import type { WalPosition } from '#host/db/wal-positions';
import { headerOf } from './client-ip';
import { ApiError } from './errors';

/** Who makes a call; read from the token and the session behind it. */
export interface Caller {
  accountId: string;
  sessionId: string;
  email: string;
  /** True while paid or trial time lasts. */
  running: boolean;
  /** How far the database had written when the call came in; null where it does not say. */
  position: WalPosition | null;
}

/** Throws `unauthenticated` for a missing, malformed, expired or revoked token. */
export type Authenticate = (token: string | undefined) => Promise<Caller>;

/** The token that a request brings (RFC 6750, section 2.1); undefined where it brings none. */
export function bearerOf(context: Context): string | undefined {
  return /^Bearer (\S+)$/i.exec(headerOf(context, 'authorization') ?? '')?.[1];
}

/** Who makes a call that anyone may make; a session that is over counts as nobody. */
export async function findCaller(context: Context, authenticate: Authenticate): Promise<Caller | null> {
  const token = bearerOf(context);
  if (!token) return null;
  return authenticate(token).catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
}
