import { z } from 'zod';
import { readClaims } from '#runtime/session-cookies';
import { signedCookie } from './cookies.server';
import type { Scope, UserScope } from './scope.server';

/** Characters of the whole cookie; browsers drop cookies of more than 4096. */
const MAX_CHARACTERS = 3000;

const InterruptedPost = z.object({
  path: z.string(),
  /** Id of the account; nobody else who signs in here may see it. */
  owner: z.string(),
  submitted: z.array(z.tuple([z.string(), z.string()])),
});

const cookie = signedCookie('unsent', 15 * 60);

/**
 * `Set-Cookie` that keeps a posted form until its owner has signed in again; null if nothing was typed, if it
 * is too long for a cookie, or if its owner is unknown.
 */
export async function interruptedPostCookie(
  { session, url }: Scope,
  submitted: [name: string, value: string][],
  page = url,
): Promise<string | null> {
  const owner = session && session !== 'broken' && readClaims(session.token)?.sub;
  if (!owner || !submitted.some(([name, value]) => name !== 'intent' && value !== '')) return null;
  const value = await cookie.serialize({ path: page.pathname, owner, submitted });
  return value.length <= MAX_CHARACTERS ? value : null;
}

/** What this user posted to this page after the session had ended. */
export async function readInterruptedPost(scope: UserScope): Promise<[name: string, value: string][] | null> {
  const kept = InterruptedPost.safeParse(await cookie.parse(scope.request.headers.get('cookie'))).data;
  if (!kept || kept.path !== scope.url.pathname) return null;
  return kept.owner === readClaims(scope.user.token)?.sub ? kept.submitted : null;
}

export async function clearedInterruptedPostCookie(): Promise<string> {
  return cookie.serialize('', { maxAge: 0 });
}
