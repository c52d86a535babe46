import { type Cookie, createCookie } from '@remix-run/node';
import { HOST_PREFIX } from '#contract/cookie-names';
import { cookieSecretOf } from '#runtime/session-cookies';
import { env } from './env.server';

const YEAR_SECONDS = 365 * 24 * 3600;

/** Whether the site is served over TLS, without which browsers reject `Secure` cookies. */
export const isHttps = env.PUBLIC_URL.startsWith('https:');

/** Name of a cookie of this website: over TLS, its prefix keeps other hosts from setting it. */
function cookieName(name: string): string {
  return isHttps ? HOST_PREFIX + name : name;
}

interface SignedCookieOptions {
  /**
   * Signs with the secret shared by all cookies, as 0.1.0 does, and accepts both signatures, so that websites
   * of both releases can run side by side. To be removed in the next release, whose websites accept both too.
   */
  signsWithSharedSecret?: boolean;
}

/**
 * A signed cookie that scripts cannot read. It is also sent when a link on another site leads here. Lasts for
 * this many seconds, or for the browser's session.
 */
export function signedCookie(
  name: string,
  seconds?: number,
  { signsWithSharedSecret = false }: SignedCookieOptions = {},
): Cookie {
  const own = cookieName(name);
  return createCookie(own, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isHttps,
    ...(seconds !== undefined && { maxAge: seconds }),
    secrets: [
      ...(signsWithSharedSecret ? env.SESSION_SECRET : []),
      ...env.SESSION_SECRET.map((secret) => cookieSecretOf(own, secret)),
    ],
  });
}

/** `Set-Cookie` of a choice that is not secret, kept for a year; the page's scripts may read and write it. */
export function choiceCookie(name: string, value: string): string {
  return `${cookieName(name)}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
}
