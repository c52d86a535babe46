import { createHash, hkdfSync, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Identity } from './identities';

interface Ticket<Claims> {
  /** Id of the account. */
  accountId: string;
  claims: Claims;
  id?: string | undefined;
}

/**
 * Short-lived tokens that a browser carries from one step of a sign-in to the next (RFC 7519, HS256). Each kind is
 * signed with its own key, derived from the secrets for its `purpose`, so that none is accepted as another kind or as
 * a session token.
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

  /** Null if it was not signed with any of the secrets for this purpose, or has expired. */
  async function verify(ticket: string, secrets: string[], now: Date): Promise<Ticket<Claims> | null> {
    for (const secret of secrets) {
      const verified = await jwtVerify(ticket, keyOf(secret), {
        algorithms: ['HS256'],
        audience,
        currentDate: now,
        requiredClaims: ['exp', 'sub'],
      }).catch(() => null);
      const parsed = schema.safeParse(verified?.payload);
      if (!verified || !parsed.success) continue;
      return { accountId: verified.payload.sub ?? '', claims: parsed.data, id: verified.payload.jti };
    }
    return null;
  }

  return { sign, verify };
}

const LinkedIdentity = z.object({ issuer: z.string(), subject: z.string(), email: z.string() });

const ChallengeClaims = z.object({
  /** From `passwordDigest`: a new password ends sign-ins started with the old one. */
  password: z.string(),
  /** The first factor that was used. */
  method: z.enum(['password', 'google', 'onboarding']),
  remember: z.boolean(),
  /** Identity to be linked to the account after the sign-in. */
  link: LinkedIdentity.optional(),
});

/** A sign-in with a correct first factor that still needs the second. */
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

/** Null if it is not ours, or older than five minutes. */
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

/** Identifies an account's password among the ones it has had. */
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

/** Proves an identity at Google, which can be linked to this one account by giving its password. */
export function signLinkTicket(
  accountId: string,
  { issuer, subject, email }: Identity,
  secrets: string[],
  now: Date,
): Promise<string> {
  return links.sign({ accountId, claims: { issuer, subject, email } }, secrets, now);
}

/** The identity to be linked; undefined for a ticket of another account, an invalid one or an expired one. */
export async function readLinkTicket(
  token: string,
  accountId: string,
  secrets: string[],
  now: Date,
): Promise<Identity | undefined> {
  const verified = await links.verify(token, secrets, now);
  return verified?.accountId === accountId ? verified.claims : undefined;
}
