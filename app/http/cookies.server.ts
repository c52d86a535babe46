import { type Cookie, createCookie } from '@remix-run/node';
import { HOST_PREFIX, ZONE_COOKIE } from '~/i18n/cookie-names';
import { env } from './env.server';

const YEAR_SECONDS = 365 * 24 * 3600;

/** Whether browsers reach this site by TLS: only then do they take cookies that insist on it. */
export const isHttps = env.PUBLIC_URL.startsWith('https:');

/** What a cookie of this website is called: over TLS no other host can plant it. */
export function cookieName(name: string): string {
  return isHttps ? HOST_PREFIX + name : name;
}

/** A cookie that only the server reads and nobody else can write; it comes along when another site leads here. */
export function signedCookie(name: string, seconds: number): Cookie {
  return createCookie(cookieName(name), {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isHttps,
    maxAge: seconds,
    secrets: env.SESSION_SECRET,
  });
}

/** `Set-Cookie` of a choice that is no secret, kept for a year: the page's own scripts read and write it as well. */
export function choiceCookie(name: string, value: string): string {
  return `${cookieName(name)}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
}

/** `Set-Cookie` of the time zone of the account; without one the zone of the device counts again. */
export function zoneCookie(timeZone: string | null): string {
  if (timeZone !== null) return choiceCookie(ZONE_COOKIE, encodeURIComponent(timeZone));
  return `${cookieName(ZONE_COOKIE)}=; Path=/; Max-Age=0; SameSite=Lax${isHttps ? '; Secure' : ''}`;
}
