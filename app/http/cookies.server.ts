import { type Cookie, createCookie } from '@remix-run/node';
import { env } from './env.server';

const YEAR_SECONDS = 365 * 24 * 3600;

/** Whether browsers reach this site by TLS: only then do they take cookies that insist on it. */
export const isHttps = env.PUBLIC_URL.startsWith('https:');

/** A cookie that only the server reads and nobody else can write; it comes along when another site leads here. */
export function signedCookie(name: string, seconds: number, path = '/'): Cookie {
  return createCookie(name, {
    httpOnly: true,
    sameSite: 'lax',
    path,
    secure: isHttps,
    maxAge: seconds,
    secrets: env.SESSION_SECRET,
  });
}

/** `Set-Cookie` of a choice that is no secret, kept for a year: the page's own scripts read and write it as well. */
export function choiceCookie(name: string, value: string): string {
  return `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${isHttps ? '; Secure' : ''}`;
}
