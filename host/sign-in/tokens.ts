import { jwtVerify, SignJWT } from 'jose';

const ISSUER = 'quadrille';
const AUDIENCE = 'quadrille-host';

interface TokenContent {
  accountId: string;
  sessionId: string;
  email: string;
  roles: string[];
  expiresAt: Date;
}

/** Signs a JWT with the first secret (RFC 7519; HS256, because its issuer is its only reader). */
export async function signToken(content: TokenContent, secrets: string[], now: Date): Promise<string> {
  const { email, roles } = content;
  return new SignJWT({ email, roles })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(content.accountId)
    .setJti(content.sessionId)
    .setIssuedAt(seconds(now))
    .setExpirationTime(seconds(content.expiresAt))
    .sign(keyOf(secrets[0] ?? ''));
}

/** The ids in a token, if it is for this program, signed with any of the secrets and not expired; else null. */
export async function verifyToken(token: string, secrets: string[], now: Date) {
  for (const secret of secrets) {
    const verified = await jwtVerify(token, keyOf(secret), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      currentDate: now,
      requiredClaims: ['exp', 'sub', 'jti', 'iat'],
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
