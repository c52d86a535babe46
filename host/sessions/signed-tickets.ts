import { createHash, hkdfSync, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Identity } from './identities.store';

interface Ticket<Claims> {
  /** Whose ticket it is. */
  accountId: string;
  claims: Claims;
  id?: string | undefined;
}

/**
 * Short-lived statements that a browser carries from one step of a sign-in to the next (RFC 7519, HS256). Each kind is
 * signed with a key of its own, derived from the secrets for its `purpose`, so that none passes for another or for the
 * token of a session.
 */
function signedTicket<Claims extends Record<string, unknown>>(
  audience: string,
  purpose: string,
  { claims: schema, lifeSeconds }: { claims: z.ZodType<Claims>; lifeSeconds: number },
) {
  const keyOf = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));

  /** Signs with the first secret. */
  async function sign({ accountId, claims, id }: Ticket<Claims>, secrets: string[], now: Date) {
    const seconds = Math.floor(now.getTime() / 1000);
    const ticket = new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setSubject(accountId)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifeSeconds);
    return (id === undefined ? ticket : ticket.setJti(id)).sign(keyOf(secrets[0] ?? ''));
  }

  /** Null for one that none of the secrets signed for this purpose, and for one whose time is over. */
  async function verify(ticket: string, secrets: string[], now: Date): Promise<Ticket<Claims> | null> {
    for (const secret of secrets) {
      const verified = await jwtVerify(ticket, keyOf(secret), {
        algorithms: ['HS256'],
        audience,
        currentDate: now,
        requiredClaims: ['exp', 'sub'],
      }).catch(() => null);
      const read = schema.safeParse(verified?.payload);
      if (!verified || !read.success) continue;
      return { accountId: verified.payload.sub ?? '', claims: read.data, id: verified.payload.jti };
    }
    return null;
  }

  return { sign, verify };
}

const LinkedIdentity = z.object({ issuer: z.string(), subject: z.string(), email: z.string() });

const ChallengeClaims = z.object({
  /** Of `passwordMark`: a new password ends the sign-ins that the old one began. */
  password: z.string(),
  /** How the first factor was given. */
  method: z.enum(['password', 'google', 'onboarding']),
  remember: z.boolean(),
  /** To be linked to the account once it is entered. */
  link: LinkedIdentity.optional(),
});

/** A sign-in whose first factor was right and whose second is asked for. */
export interface Challenge extends z.infer<typeof ChallengeClaims> {
  id: string;
  accountId: string;
}

const challenges = signedTicket('second-factor', 'quadrille: sign-ins under way', {
  claims: ChallengeClaims,
  lifeSeconds: 5 * 60,
});

export function signChallenge(
  { accountId, ...claims }: Omit<Challenge, 'id'>,
  secrets: string[],
  now: Date,
): Promise<string> {
  return challenges.sign({ accountId, claims, id: randomUUID() }, secrets, now);
}

/** Null for one that is not ours, and for one that is older than five minutes. */
export async function verifyChallenge(
  token: string,
  secrets: string[],
  now: Date,
): Promise<Challenge | null> {
  const verified = await challenges.verify(token, secrets, now);
  if (!verified?.id) return null;
  const { accountId, claims, id } = verified;
  return { ...claims, accountId, id };
}

/** Tells apart the passwords that an account has had. */
export function passwordDigest(passwordHash: string | null): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
    .slice(0, 16);
}

const links = signedTicket('identity-link', 'quadrille: identities to be linked', {
  claims: LinkedIdentity,
  lifeSeconds: 10 * 60,
});

/** Says that the bearer has proven an identity at Google, which the password of this one account may link to it. */
export function signLinkTicket(
  accountId: string,
  { issuer, subject, email }: Identity,
  secrets: string[],
  now: Date,
): Promise<string> {
  return links.sign({ accountId, claims: { issuer, subject, email } }, secrets, now);
}

/** The identity to be linked; nothing for a ticket of another account, one that is not ours, and one that is too old. */
export async function readLinkTicket(
  token: string,
  accountId: string,
  secrets: string[],
  now: Date,
): Promise<Identity | undefined> {
  const verified = await links.verify(token, secrets, now);
  return verified?.accountId === accountId ? verified.claims : undefined;
}
