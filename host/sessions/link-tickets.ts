import { hkdfSync } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Identity } from './identities.store';

const LIFE_SECONDS = 10 * 60;
const AUDIENCE = 'identity-link';

const Claims = z.object({ sub: z.string(), issuer: z.string(), subject: z.string(), email: z.string() });

/** Says that the bearer has proven an identity at Google, which the password of this one account may link to it. */
export async function signLinkTicket(
  accountId: string,
  { issuer, subject, email }: Identity,
  secrets: string[],
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return new SignJWT({ issuer, subject, email })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(AUDIENCE)
    .setSubject(accountId)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + LIFE_SECONDS)
    .sign(keyOf(secrets[0] ?? ''));
}

/** The identity to be linked; nothing for a ticket of another account, one that is not ours, and one that is too old. */
export async function readLinkTicket(
  ticket: string,
  accountId: string,
  secrets: string[],
  now: Date,
): Promise<Identity | undefined> {
  for (const secret of secrets) {
    const verified = await jwtVerify(ticket, keyOf(secret), {
      algorithms: ['HS256'],
      audience: AUDIENCE,
      currentDate: now,
      requiredClaims: ['exp'],
    }).catch(() => null);
    if (!verified) continue;
    const { sub, ...identity } = Claims.parse(verified.payload);
    return sub === accountId ? identity : undefined;
  }
  return undefined;
}

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', 'quadrille: identities to be linked', 32));
}
