import { createHash } from 'node:crypto';
import { PUBLIC_API } from '#contract/call';
import { bearerChallenge } from '#contract/errors';
import { env } from './env.server';
import type { Scope, UserScope } from './scope.server';

/** Headers of the host's answers to programs: what is left of the limit of a key, and which pages may read the answer. */
export const OF_KEYS = [
  'access-control-allow-origin',
  'access-control-expose-headers',
  'ratelimit',
  'ratelimit-policy',
  'vary',
];
const PASSED = [...OF_KEYS, 'content-type', 'etag', 'retry-after', 'www-authenticate'];

/** The bearer token of a request (RFC 6750, section 2.1); the host finds out whose it is. */
export function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** The scope of a program, which has a key in place of a session, or an access token for `program`. */
export function programScope(scope: Scope, token: string, program: 'api' | 'mcp'): UserScope {
  // Takes its turn in drawing for itself, as an account does.
  const email = `key ${createHash('sha256').update(token).digest('base64url')}`;
  const user = { token, email, roles: [], isExpired: false };
  return { ...scope, session: user, user, program };
}

/** Tells a program without a valid key where to ask for access. */
export function challengeOf(token: string | undefined, program: 'api' | 'mcp'): Record<string, string> {
  const resource = program === 'mcp' ? '/mcp' : PUBLIC_API;
  return { 'WWW-Authenticate': bearerChallenge(env.PUBLIC_URL, resource, token) };
}

/** What a program gets of the headers of an answer of the host to it. */
export function passedHeaders({ headers }: Response, only = PASSED): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => only.includes(name)));
}
