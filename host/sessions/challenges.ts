import { createHash, hkdfSync, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const LIFE_SECONDS = 5 * 60;
const AUDIENCE = 'second-factor';

const LinkedIdentity = z.object({ issuer: z.string(), subject: z.string(), email: z.string() });

const Claims = z.object({
  sub: z.string(),
  jti: z.string(),
  password: z.string(),
  method: z.enum(['password', 'google', 'onboarding']),
  remember: z.boolean(),
  link: LinkedIdentity.optional(),
});

/** A sign-in whose first factor was right and whose second is asked for. */
export interface Challenge {
  id: string;
  accountId: string;
  /** How the first factor was given. */
  method: z.infer<typeof Claims>['method'];
  remember: boolean;
  /** To be linked to the account once it is entered. */
  link?: z.infer<typeof LinkedIdentity> | undefined;
  /** Of `passwordMark`: a new password ends the sign-ins that the old one began. */
  password: string;
}

/** Signs a challenge with a key of its own, so that it can never be taken for the token of a session. */
export async function signChallenge(
  { accountId, ...claims }: Omit<Challenge, 'id'>,
  secrets: string[],
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(AUDIENCE)
    .setSubject(accountId)
    .setJti(randomUUID())
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + LIFE_SECONDS)
    .sign(keyOf(secrets[0] ?? ''));
}

/** Null for one that is not ours, and for one that is older than five minutes. */
export async function verifyChallenge(
  token: string,
  secrets: string[],
  now: Date,
): Promise<Challenge | null> {
  for (const secret of secrets) {
    const verified = await jwtVerify(token, keyOf(secret), {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      currentDate: now,
      requiredClaims: ['exp'],
    }).catch(() => null);
    if (!verified) continue;
    const { sub, jti, ...claims } = Claims.parse(verified.payload);
    return { id: jti, accountId: sub, ...claims };
  }
  return null;
}

/** Tells apart the passwords that an account has had. */
export function passwordMark(passwordHash: string | null): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
    .slice(0, 16);
}

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'quadrille: sign-ins under way', 32));
}
