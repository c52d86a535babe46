import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { withAsciiDomain } from '#contract/account-fields';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';

const GOOGLE = 'https://accounts.google.com';
/** Google's tokens are valid for an hour, but the website sends them at once. */
const MAX_AGE = '10m';
const SKEW_SECONDS = 30;

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().min(3).max(254).overwrite(withAsciiDomain),
  email_verified: z.literal(true),
  nonce: z.string(),
  azp: z.string().optional(),
  /** The organisation whose domain Google hosts. */
  hd: z.string().min(1).optional(),
});

interface GoogleIdentity {
  issuer: string;
  subject: string;
  /** Verified by the provider at some time. */
  email: string;
  /**
   * Whether Google runs the mailbox, and so knows whose it is today; any other address was verified at some time in the
   * past (developers.google.com/identity/gsi/web/guides/verify-google-id-token).
   */
  isAuthoritative: boolean;
}

/** Null if the token is invalid; throws `unavailable` if the provider's keys cannot be fetched. */
type VerifyIdToken = (idToken: string, nonce: string) => Promise<GoogleIdentity | null>;

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/**
 * Verifies ID tokens as in OpenID Connect Core 1.0 §3.1.3.7: keys from the issuer's discovery document, RS256 only,
 * issuer, audience, time, nonce, and a verified e-mail address. The identity is (iss, sub), never the address.
 */
export function createIdTokenVerifier({
  clock,
  fetch,
  log,
  settings,
}: Pick<Deps, 'clock' | 'fetch' | 'log' | 'settings'>): VerifyIdToken {
  const { clientId, issuer } = settings.google;
  let keys: Promise<KeySet> | undefined;

  function keySet(): Promise<KeySet> {
    keys ??= discover().catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return keys;
  }

  async function discover(): Promise<KeySet> {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5000) });
    const discovery = Discovery.parse(await response.json());
    if (discovery.issuer !== issuer) throw new Error('the discovery document has a different issuer');
    return createRemoteJWKSet(new URL(discovery.jwks_uri), { [customFetch]: fetch, timeoutDuration: 5000 });
  }

  return async (idToken, nonce) => {
    if (!clientId) return null;
    const payload = await keySet()
      .then((set) =>
        jwtVerify(idToken, set, {
          algorithms: ['RS256'],
          // Google uses either form as the issuer.
          issuer: issuer === GOOGLE ? [GOOGLE, 'accounts.google.com'] : issuer,
          audience: clientId,
          currentDate: clock.now(),
          clockTolerance: SKEW_SECONDS,
          maxTokenAge: MAX_AGE,
          requiredClaims: ['exp', 'iat', 'sub'],
        }),
      )
      .then(({ payload }): JWTPayload => payload)
      .catch((error: unknown) => {
        if (isTokenError(error)) return null;
        log.error({ err: error, issuer }, "the provider's signing keys could not be fetched");
        throw new ApiError('unavailable', { retryAfterSeconds: 30 });
      });
    const claims = Claims.safeParse(payload);
    if (!claims.success || claims.data.nonce !== nonce) return null;
    const { sub, email, azp, hd } = claims.data;
    if (azp !== undefined && azp !== clientId) return null;
    const isAuthoritative = hd !== undefined || /@(?:gmail|googlemail)\.com$/i.test(email);
    return { issuer, subject: sub, email, isAuthoritative };
  };
}

/** Whether the token is invalid, rather than the provider's keys unreachable. */
function isTokenError(error: unknown): boolean {
  return (
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}
