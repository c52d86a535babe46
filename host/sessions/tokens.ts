import { jwtVerify, SignJWT } from 'jose';

const ISSUER = 'quadrille';

export interface TokenContent {
  accountId: string;
  sessionId: string;
  email: string;
  roles: string[];
  expiresAt: Date;
}

/** Signs a JWT (RFC 7519, HS256: issuer and audience are the same program) with the first secret. */
export async function signToken(content: TokenContent, secrets: string[], now: Date): Promise<string> {
  return new SignJWT({ email: content.email, roles: content.roles })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setSubject(content.accountId)
    .setJti(content.sessionId)
    .setIssuedAt(seconds(now))
    .setExpirationTime(seconds(content.expiresAt))
    .sign(keyOf(secrets[0] ?? ''));
}

/** Ids in a token that any of the secrets signed and that has not expired; null otherwise. */
export async function verifyToken(token: string, secrets: string[], now: Date) {
  for (const secret of secrets) {
    const verified = await jwtVerify(token, keyOf(secret), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      currentDate: now,
      requiredClaims: ['exp', 'sub', 'jti'],
    }).catch(() => null);
    if (verified) return { accountId: verified.payload.sub ?? '', sessionId: verified.payload.jti ?? '' };
  }
  return null;
}

function keyOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
