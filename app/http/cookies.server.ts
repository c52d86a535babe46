import { hkdfSync } from 'node:crypto';
import { type Cookie, createCookie } from '@remix-run/node';
import { HOST_PREFIX, ZONE_COOKIE } from '~/i18n/cookie-names';
import { env } from './env.server';

const YEAR_SECONDS = 365 * 24 * 3600;

/** Whether browsers reach this site by TLS: only then do they take cookies that insist on it. */
export const isHttps = env.PUBLIC_URL.startsWith('https:');

/** What a cookie of this website is called: over TLS no other host can plant it. */
function cookieName(name: string): string {
  return isHttps ? HOST_PREFIX + name : name;
}

interface SignedCookieOptions {
  /**
   * Signs as 0.1.0 does, by the secret that all cookies had in common, and reads both: so that websites of both releases
   * know whom they serve while they run side by side. To be removed in the next release, whose websites read both, too.
   */
  signsAsBefore?: boolean;
}

/**
 * A cookie that only the server reads and nobody else can write; it comes along when another site leads here. Lasts for
 * so many seconds, or for the browser's session.
 */
export function signedCookie(
  name: string,
  seconds?: number,
  { signsAsBefore = false }: SignedCookieOptions = {},
): Cookie {
  const own = cookieName(name);
  return createCookie(own, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isHttps,
    ...(seconds !== undefined && { maxAge: seconds }),
    secrets: [
      ...(signsAsBefore ? env.SESSION_SECRET : []),
      ...env.SESSION_SECRET.map((secret) => secretOf(own, secret)),
    ],
  });
}

/** Each cookie is signed with a secret of its own, so that the value of one never passes for another's. */
function secretOf(cookie: string, secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', `quadrille cookie ${cookie}`, 32)).toString('base64url');
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
