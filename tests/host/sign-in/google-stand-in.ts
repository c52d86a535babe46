import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { createOnboarding } from '#host/accounts/onboarding';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

export const ISSUER = 'https://accounts.google.com';
export const CLIENT_ID = 'client-of-the-test.apps.example';
export const NONCE = 'a nonce of the website, random';
const KEYS = 'https://www.googleapis.example/certs';

export type GoogleStandIn = Awaited<ReturnType<typeof openGoogleStandIn>>;

/** Issues ID tokens, and serves Google's discovery document and key set while it is `up`. */
export async function openGoogleStandIn() {
  const keys = await generateKeyPair('RS256');
  let serial = 0;
  const google = {
    reach: 'up' as 'up' | 'down' | 'other issuer',

    fetch: async (input: string | URL | Request): Promise<Response> => {
      const url = String(input instanceof Request ? input.url : input);
      if (google.reach === 'down') throw new TypeError('fetch failed');
      if (url === `${ISSUER}/.well-known/openid-configuration`) {
        const issuer = google.reach === 'up' ? ISSUER : 'https://impostor.example';
        return Response.json({ issuer, jwks_uri: KEYS });
      }
      if (url === KEYS) {
        return Response.json({
          keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }],
        });
      }
      return new Response('', { status: 404 });
    },

    /** A token for the client, issued at `now`. */
    idToken: (
      now: Date,
      claims: JWTPayload,
      { key = keys.privateKey, kid = 'one' } = {},
    ): Promise<string> => {
      serial += 1;
      const seconds = Math.floor(now.getTime() / 1000);
      const whole = {
        iss: ISSUER,
        aud: CLIENT_ID,
        iat: seconds,
        exp: seconds + 3600,
        email_verified: true,
        nonce: NONCE,
        jti: String(serial),
        hd: 'test.example',
        ...claims,
      };
      return new SignJWT(whole).setProtectedHeader({ alg: 'RS256', kid }).sign(key);
    },
  };
  return google;
}

/** A host that offers sign-in with Google. */
export function createGoogleHost(overrides: Parameters<typeof createTestHost>[0]): Promise<TestHost> {
  return createTestHost({ settings: { google: { clientId: CLIENT_ID, issuer: ISSUER } }, ...overrides });
}

/** What the owner of the current test's account does with Google. */
export function googleCalls(current: () => { google: GoogleStandIn; host: TestHost; account: TestAccount }) {
  function idToken(claims: JWTPayload = {}, signing?: { key?: CryptoKey; kid?: string }): Promise<string> {
    const { google, host, account } = current();
    const own = { sub: `google-${account.id}`, email: account.email };
    return google.idToken(host.clock.now(), { ...own, ...claims }, signing);
  }

  function signIn(token: string, fields: Record<string, unknown> = {}, on: TestHost = current().host) {
    return send(on, 'POST', '/api/google_login', { idToken: token, nonce: NONCE, ...fields });
  }

  /** An account that was bought and not yet set up, with the token of its mailed link. */
  async function bought(fields: { draftId?: string } = {}) {
    const { host } = current();
    const email = `buyer-${randomUUID()}@gmail.example`;
    const made = await host.db.orm.transaction((transaction) =>
      createOnboarding(transaction, host.deps, { email, locale: 'gb', ...fields }, host.clock.now()),
    );
    const token = (claims: JWTPayload = {}) => idToken({ sub: `google-${email}`, email, ...claims });
    return { email, token, accountId: made.accountId, link: made.token };
  }

  return { idToken, signIn, bought };
}
