import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSameText } from '#runtime/same-text';
import { cookieSecretOf, readClaims } from '#runtime/session-cookies';

/** What the website's cookies say about a sender: good for a turn, never for access. */
export interface Credentials {
  /** Of a session whose token has not expired; that it has not been ended, only the host knows. */
  account: string | null;
  /** Whether somebody has signed in with this browser before. */
  isKnownDevice: boolean;
}

/** Browsers keep no longer cookies. */
const LONGEST = 4_096;

/** Reads the cookies that the website has signed with one of these secrets. */
export function createCredentialsReader(
  publicUrl: string,
  secrets: readonly string[],
): (request: IncomingMessage) => Credentials {
  const prefix = publicUrl.startsWith('https:') ? '__Host-' : '';
  const readSession = createCookieReader(`${prefix}session`, secrets);
  const readDevices = createCookieReader(`${prefix}device`, secrets);
  return ({ headers: { cookie = '' } }) => {
    const devices = readDevices(cookie);
    return {
      account: accountIn(readSession(cookie)),
      isKnownDevice: Array.isArray(devices) && typeof devices[0] === 'string',
    };
  };
}

/** Several cookies are signed with the same secrets, also those of visitors: their contents tell them apart. */
function accountIn(session: unknown): string | null {
  const { token } = (session ?? {}) as { token?: unknown };
  const claims = typeof token === 'string' ? readClaims(token) : null;
  return claims && claims.exp * 1_000 > Date.now() ? claims.sub : null;
}

/** Reads what Remix has written with `createCookie`; undefined unless the signature is one of ours. */
function createCookieReader(name: string, secrets: readonly string[]): (cookies: string) => unknown {
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([^;\\s]+)`);
  const keys = [...secrets, ...secrets.map((secret) => cookieSecretOf(name, secret))];
  return (cookies) => {
    const [, written = ''] = pattern.exec(cookies) ?? [];
    if (written === '' || written.length > LONGEST) return undefined;
    try {
      const signed = decodeURIComponent(written);
      const at = signed.lastIndexOf('.');
      const [value, signature] = [signed.slice(0, Math.max(at, 0)), signed.slice(at + 1)];
      if (!keys.some((key) => isSameText(signature, signatureOf(value, key)))) return undefined;
      return JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    } catch {
      return undefined;
    }
  };
}

/** As the package `cookie-signature` does. */
function signatureOf(value: string, key: string): string {
  return createHmac('sha256', key).update(value).digest('base64').replace(/=+$/, '');
}
