import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Deps } from '#host/http/deps';
import { type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';

/** The relying party of passkeys: the host of the configured website URL, never that of a request. */
export function relyingPartyOf(publicUrl: string): { id: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}

/** The library that verifies passkeys, loaded on first use: it takes 0.2 seconds and 30 MB. */
export const loadWebAuthn = () => import('@simplewebauthn/server');

const LIFE_MS = 5 * 60_000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 16;
/** A challenge works once; uses are remembered for longer than it is valid. */
const PER_CHALLENGE: RateLimit = { name: 'passkey-challenge', points: 1, windowSeconds: 10 * 60 };

type Outside = Pick<Deps, 'db' | 'clock' | 'random' | 'settings'>;

/** `login`, or the id of the session that adds a passkey. */
type Purpose = string;

/** Random bytes with their own expiry and purpose, so that nothing has to be stored. */
export function makeChallenge(
  { clock, random, settings }: Outside,
  purpose: Purpose,
): Uint8Array<ArrayBuffer> {
  const body = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
  body.set(random(RANDOM_BYTES));
  body.writeUIntBE(clock.now().getTime() + LIFE_MS, RANDOM_BYTES, TIME_BYTES);
  return Uint8Array.from(Buffer.concat([body, macOf(body, purpose, settings.jwtSecrets[0] ?? '')]));
}

/**
 * The result of verifying a credential, which must contain a challenge of ours; null for an invalid one, with the
 * reason in the log. An error while looking up challenges says nothing about the credential, and is rethrown.
 */
export async function verifyChallenged<Verified>(
  deps: Outside & Pick<Deps, 'log'>,
  purpose: Purpose,
  verify: (isExpected: (challenge: string) => Promise<boolean>) => Promise<Verified>,
): Promise<Verified | null> {
  const lookupErrors: unknown[] = [];
  const isExpected = (challenge: string) =>
    takeChallenge(deps, challenge, purpose).catch((lookupError: unknown) => {
      lookupErrors.push(lookupError);
      throw lookupError;
    });
  try {
    return await verify(isExpected);
  } catch (error) {
    if (lookupErrors.length > 0) throw error;
    deps.log.info({ err: error }, 'a passkey could not be verified');
    return null;
  }
}

/** Whether a challenge, in base64url, is ours, for this purpose, not expired and not used before. */
async function takeChallenge(
  { db, clock, settings }: Outside,
  challenge: string,
  purpose: Purpose,
): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url');
  if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return false;
  const [body, mac] = [bytes.subarray(0, -MAC_BYTES), bytes.subarray(-MAC_BYTES)];
  const isOurs = settings.jwtSecrets.some((secret) => timingSafeEqual(mac, macOf(body, purpose, secret)));
  const now = clock.now();
  if (!isOurs || body.readUIntBE(RANDOM_BYTES, TIME_BYTES) < now.getTime()) return false;
  return tryConsumeRateLimit(db.orm, PER_CHALLENGE, bytes.toString('base64url'), now);
}

function macOf(body: Uint8Array, purpose: Purpose, secret: string): Buffer {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', 'quadrille: challenges of passkeys', 32));
  return createHmac('sha256', key).update(purpose).update('\n').update(body).digest().subarray(0, MAC_BYTES);
}
