import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { cookieSecretOf, readClaims } from '#contract/session-cookies';

/** Browsers keep no longer cookies. */
const LONGEST = 4_096;

/**
 * Reads the account of a request whose session cookie the website has signed and whose token has not expired; null for
 * anybody else. The session may have ended since, which only the host knows: good for a turn, never for access.
 */
export function createAccountReader(
  publicUrl: string,
  secrets: readonly string[],
): (request: IncomingMessage) => string | null {
  const name = publicUrl.startsWith('https:') ? '__Host-session' : 'session';
  const cookie = new RegExp(`(?:^|;\\s*)${name}=([^;\\s]+)`);
  const keys = [...secrets, ...secrets.map((secret) => cookieSecretOf(name, secret))];
  return ({ headers }) => {
    const signed = decode(cookie.exec(headers.cookie ?? '')?.[1] ?? '');
    const at = signed.lastIndexOf('.');
    const [value, signature] = [signed.slice(0, at), Buffer.from(signed.slice(at + 1))];
    const isOurs = at > 0 && keys.some((key) => isEqual(signature, signatureOf(value, key)));
    const claims = isOurs ? readClaims(tokenIn(value)) : null;
    return claims && claims.exp * 1_000 > Date.now() ? claims.sub : null;
  };
}

function decode(value: string): string {
  try {
    return value.length > LONGEST ? '' : decodeURIComponent(value);
  } catch {
    return '';
  }
}

/** The signature that Remix appends to a value (`cookie-signature`). */
function signatureOf(value: string, key: string): Buffer {
  return Buffer.from(createHmac('sha256', key).update(value).digest('base64').replace(/=+$/, ''));
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Cookies with other contents are signed with the same secrets, also those of visitors who are not signed in. */
function tokenIn(value: string): string {
  try {
    const { token } = JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    return typeof token === 'string' ? token : '';
  } catch {
    return '';
  }
}
