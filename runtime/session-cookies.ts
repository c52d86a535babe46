import { hkdfSync } from 'node:crypto';
import { TokenClaims } from '#contract/sessions';
import { loadOrCreateSecret } from './stored-secret';

/** The secrets that cookies are signed with; without SESSION_SECRET, one that is kept in the data folder. */
export function readSessionSecrets(settings: {
  SESSION_SECRET?: string[] | undefined;
  DATA_DIR: string;
}): string[] {
  return settings.SESSION_SECRET ?? [loadOrCreateSecret(settings.DATA_DIR, 'session-secret')];
}

/** Each cookie is signed with a secret of its own, so that the value of one is not valid for another. */
export function cookieSecretOf(cookie: string, secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', `quadrille cookie ${cookie}`, 32)).toString('base64url');
}

/** Reads the claims of a session's token; only the host verifies its signature. */
export function readClaims(token: string): TokenClaims | null {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    return TokenClaims.safeParse(JSON.parse(payload)).data ?? null;
  } catch {
    return null;
  }
}
