import { z } from 'zod';
import { signedCookie } from './cookies.server';
import { readClaims, readSession, type Session } from './session.server';

/** Characters of the whole cookie; browsers drop those beyond 4096. */
const MOST = 3000;

const InterruptedPost = z.object({
  path: z.string(),
  /** Whose it is: nobody else who signs in here gets to see it. */
  owner: z.string(),
  submitted: z.array(z.tuple([z.string(), z.string()])),
});

const cookie = signedCookie('unsent', 15 * 60);

/**
 * `Set-Cookie` that keeps what was posted to a page until its owner has signed in again; null when there is nothing
 * typed in it, when it is too much for a cookie, or when nobody knows whose it is.
 */
export async function interruptedPostCookie(
  request: Request,
  submitted: [name: string, value: string][],
): Promise<string | null> {
  const session = await readSession(request);
  const owner = session && session !== 'broken' && readClaims(session.token)?.sub;
  if (!owner || !submitted.some(([name, value]) => name !== 'intent' && value !== '')) return null;
  const value = await cookie.serialize({ path: new URL(request.url).pathname, owner, submitted });
  return value.length <= MOST ? value : null;
}

/** What was posted to this page when the session had ended, for the one who typed it. */
export async function readInterruptedPost(
  request: Request,
  session: Session,
): Promise<[name: string, value: string][] | null> {
  const kept = InterruptedPost.safeParse(await cookie.parse(request.headers.get('cookie'))).data;
  if (!kept || kept.path !== new URL(request.url).pathname) return null;
  return kept.owner === readClaims(session.token)?.sub ? kept.submitted : null;
}

export async function clearedInterruptedPostCookie(): Promise<string> {
  return cookie.serialize('', { maxAge: 0 });
}
