import { data, redirect } from '@remix-run/node';
import { isSameOrigin } from '#runtime/same-origin';
import { type NewNotice, redirectWithFlash } from './flash.server';
import { readUnreadTexts } from './form.server';
import { interruptedPostCookie } from './interrupted-post.server';
import { safePath } from './safe-path';
import { findLiveSession, isLive, readSession, type Session, signOutCookie } from './session.server';

/** The signed-in session; everyone else is redirected to the login page, and from there back here. */
export async function requireUser(request: Request): Promise<Session> {
  const session = await readSession(request);
  if (session === null) throw redirect(loginPath(request), 303);
  if (!isLive(session)) throw await endSession(request);
  return session;
}

/** Redirects signed-in users to the home page. */
export async function requireVisitor(request: Request): Promise<void> {
  if (await findLiveSession(request)) throw redirect('/', 303);
}

/** 303 that signs this browser out and empties its cache, which may hold pictures of codes with passwords. */
export async function signOut(to: string, notice: NewNotice, cookies: string[] = []): Promise<Response> {
  const response = await redirectWithFlash(to, notice, [await signOutCookie(), ...cookies]);
  response.headers.set('Clear-Site-Data', '"cache"');
  return response;
}

/**
 * Signs out and redirects to the login page, with a notice that the session has expired. A posted form is
 * kept until the user has signed in again; `submitted` contains its fields if it was read already.
 */
export async function endSession(
  request: Request,
  submitted?: [name: string, value: string][],
): Promise<Response> {
  const expired = { type: 'info', key: 'session_expired', persistent: true } as const;
  const unsent = await interruptedPostCookie(request, submitted ?? (await readUnreadTexts(request)));
  return signOut(loginPath(request), expired, unsent ? [unsent] : []);
}

/** Login page that leads back to the requested page; after a POST, to the page with the form. */
function loginPath(request: Request): string {
  const { pathname, search } = new URL(request.url);
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
