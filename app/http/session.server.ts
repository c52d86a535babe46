import { createCookieSessionStorage } from '@remix-run/node';
import { z } from 'zod';
import { readClaims } from '#runtime/session-cookies';
import { signedCookie } from './cookies.server';

const sessionCookie = signedCookie('session', undefined, { signsWithSharedSecret: true });
const storage = createCookieSessionStorage<{ token: string; remember: boolean }>({ cookie: sessionCookie });

export interface Session {
  token: string;
  email: string;
  roles: string[];
  isExpired: boolean;
}

/** The session, expired or not; `'broken'` if its cookie is invalid, null if there is none. */
export async function readSession(request: Request): Promise<Session | 'broken' | null> {
  const header = request.headers.get('cookie') ?? '';
  if (!new RegExp(`(?:^|;\\s*)${sessionCookie.name}=[^;\\s]`).test(header)) return null;
  const token = (await storage.getSession(header)).get('token');
  const claims = token ? readClaims(token) : null;
  if (!token || !claims) return 'broken';
  return { token, email: claims.email, roles: claims.roles, isExpired: claims.exp * 1000 <= Date.now() };
}

/** False for no session, a broken one and an expired one. */
export function isLive(session: Session | 'broken' | null): session is Session {
  return session !== null && session !== 'broken' && !session.isExpired;
}

/** `Set-Cookie` that signs in: for the browser's session, or for as long as the token lasts. */
export async function signInCookie(token: string, remember: boolean): Promise<string> {
  const session = await storage.getSession();
  session.set('token', token);
  const expires = remember ? new Date((readClaims(token)?.exp ?? 0) * 1000) : undefined;
  return storage.commitSession(session, expires ? { expires } : {});
}

export async function signOutCookie(): Promise<string> {
  return storage.destroySession(await storage.getSession());
}

const YEAR_SECONDS = 365 * 24 * 3600;
/** How many device tokens a browser keeps, one per account; the host accepts no more. */
const MAX_DEVICES = 5;

const Devices = z.array(z.string().min(1).max(100)).max(MAX_DEVICES);

const deviceCookie = signedCookie('device', YEAR_SECONDS, { signsWithSharedSecret: true });

/** Device tokens from earlier sign-ins in this browser, newest first; they are sent with each sign-in. */
export async function readDevices(request: Request): Promise<string[]> {
  return Devices.safeParse(await deviceCookie.parse(request.headers.get('cookie'))).data ?? [];
}

/** `Set-Cookie` headers of a sign-in: the session and the device tokens. */
export async function signInCookies(
  request: Request,
  { token, device }: { token: string; device: string },
  remember: boolean,
): Promise<string[]> {
  const cookies = [await signInCookie(token, remember)];
  if (!device) return cookies;
  const others = (await readDevices(request)).filter((other) => other !== device);
  return [...cookies, await deviceCookie.serialize([device, ...others].slice(0, MAX_DEVICES))];
}
