import { data, redirect } from '@remix-run/node';
import { isSameOrigin } from '#runtime/same-origin';
import { type NewNotice, redirectWithFlash } from './flash.server';
import { readUnreadTexts } from './form.server';
import { interruptedPostCookie } from './interrupted-post.server';
import { safePath } from './safe-path';
import { isSignedIn, type RequestArgs, readScope, type Scope, type UserScope } from './scope.server';
import { signOutCookie } from './session.server';

/** The scope of a signed-in user; everyone else is redirected to the login page, and from there back here. */
export async function requireUser(args: RequestArgs): Promise<UserScope> {
  const scope = await readScope(args);
  if (isSignedIn(scope)) return scope;
  throw scope.session === null ? redirect(loginPath(scope.url), 303) : await endSession(scope);
}

/** The scope of a visitor; signed-in users are redirected to where they wanted to go, or to the home page. */
export async function requireVisitor(args: RequestArgs): Promise<Scope> {
  const scope = await readScope(args);
  if (isSignedIn(scope)) throw redirect(safePath(scope.url.searchParams.get('next')), 303);
  return scope;
}

/** 303 that signs this browser out and empties its cache, which may hold pictures of codes with passwords. */
export async function signOut(to: string, notice: NewNotice, cookies: string[] = []): Promise<Response> {
  const response = await redirectWithFlash(to, notice, [await signOutCookie(), ...cookies]);
  response.headers.set('Clear-Site-Data', '"cache"');
  return response;
}

/**
 * Signs out and redirects to the login page, with a notice that the session has expired. A posted form is kept until
 * the user has signed in again, on the page that it belongs to; it is read if it was not yet.
 */
export async function endSession(
  scope: Scope,
  { submitted = scope.submitted, page = scope.url }: { submitted?: Scope['submitted']; page?: URL } = {},
): Promise<Response> {
  const expired = { type: 'info', key: 'session_expired', persistent: true } as const;
  const texts = submitted ?? (await readUnreadTexts(scope));
  const unsent = await interruptedPostCookie(scope, texts, page);
  return signOut(loginPath(page), expired, unsent ? [unsent] : []);
}

/** Login page that leads back to the requested page; after a POST, to the page with the form. */
function loginPath({ pathname, search }: URL): string {
  const next = safePath(pathname + search.replace(/^\?index$/, ''));
  return next === '/' || next.startsWith('/login') ? '/login' : `/login?next=${encodeURIComponent(next)}`;
}

/**
 * Refuses a cross-site POST with 403. The framework checks this for pages; a route without a page
 * has to do it itself.
 */
export function requireSameOrigin(request: Request): void {
  if (!isSameOrigin((name) => request.headers.get(name), new URL(request.url).host))
    throw data(null, { status: 403 });
}
