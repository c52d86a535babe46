import type { Context } from 'hono';
import type { WalPosition } from '#host/db/replica';
import { networksOf } from '#runtime/ip-rate-limit-key';
import type { Client } from '#runtime/processes/process-pool';
import { ApiError } from './errors';
import { headerOf } from './request-headers';

/** The one tag whose codes a caller finds and makes. */
export interface CallerTag {
  /** 0, which no tag has, while no code has it. */
  id: number;
  label: string;
}

/** Who makes a call, from the token and its session, or from an API key. */
export interface Caller {
  accountId: string;
  /** Empty with an API key. */
  sessionId: string;
  /** Null in a session. `origins` are those of web pages that may call with it. */
  key: { id: string; permission: 'read' | 'change'; origins: string[] } | null;
  /** Null for all codes of the account. */
  tag: CallerTag | null;
  email: string;
  /** True during paid or trial time. */
  isSubscribed: boolean;
  /** The database's write position when the call came in; null if unknown. */
  position: WalPosition | null;
}

/** Throws `unauthenticated` for a missing, malformed, expired or revoked token. */
export type Authenticate = (token: string | undefined) => Promise<Caller>;

/** Whose turn a task in a process pool takes: the account's, else the network's. */
export function clientOf(clientIp: string, account?: string): Client {
  return { networks: networksOf(clientIp), account };
}

/** The bearer token of a request (RFC 6750, section 2.1); undefined if there is none. */
export function bearerOf(context: Context): string | undefined {
  return /^Bearer (\S+)$/i.exec(headerOf(context, 'authorization') ?? '')?.[1];
}

/** The caller of a public call; an ended session counts as none. */
export async function findCaller(context: Context, authenticate: Authenticate): Promise<Caller | null> {
  const token = bearerOf(context);
  if (!token) return null;
  return authenticate(token).catch((error: unknown) => {
    if (error instanceof ApiError) return null;
    throw error;
  });
}

/** Whether a bearer token is meant to be an API key. */
export function isKeySecret(token: string | undefined): token is string {
  return token?.startsWith('qdr_') ?? false;
}
