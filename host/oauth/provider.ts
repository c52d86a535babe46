import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { JWK, Provider } from 'oidc-provider';
import type { Resource } from '#host/accounts/api-keys';
import type { Deps } from '#host/http/deps';
import { publicClient } from './clients';
import { createRecords, LIFE_SECONDS } from './records';

export const SCOPES = ['read', 'change'];
/** Names of the two cookies that bind a request to the browser that made it; each has a signature beside it. */
export const REQUEST_COOKIE = 'oauth-request';
const RESUME_COOKIE = 'oauth-resume';
const CLIENT_BYTES = 5 * 1024;
const CLIENT_MS = 2_500;

export type OauthDeps = Pick<Deps, 'db' | 'clock' | 'log' | 'requestPublic' | 'settings'>;

/** The addresses that tokens are for. */
export function resourcesOf(publicUrl: string): Record<Resource, string> {
  return { api: `${publicUrl}/api/v1`, mcp: `${publicUrl}/mcp` };
}

/** The page that asks for consent, below the path of the cookie. */
export function consentPath(uid: string): string {
  return `${cookiePath(uid)}/consent`;
}

export function cookiePath(uid: string): string {
  return `/user/authorize/${uid}`;
}

/** Loaded with the first request: the library takes 0.1 seconds and 20 MB. */
export async function createProvider(deps: OauthDeps): Promise<Provider> {
  const { Provider, errors, interactionPolicy } = await import('oidc-provider');
  const { publicUrl, jwtSecrets } = deps.settings;
  const identifiers = Object.values(resourcesOf(publicUrl));
  const isSecure = publicUrl.startsWith('https:');
  const nameOf = (name: string) => (isSecure ? `__Secure-${name}` : name);
  const policy = interactionPolicy.base();
  policy.splice(
    0,
    policy.length,
    new interactionPolicy.Prompt(
      { name: 'consent', requestable: true },
      new interactionPolicy.Check('not_asked', 'the user was not asked', (context) => !isAnswered(context)),
    ),
    new interactionPolicy.Prompt({ name: 'login', requestable: true }),
    new interactionPolicy.Prompt({ name: 'select_account', requestable: true }),
  );

  const provider = new Provider(publicUrl, {
    adapter: createRecords(deps, (why) => new errors.InvalidGrant(why)),
    // The library wants a key, but nothing is ever signed: tokens are opaque, and there is no scope for identities.
    jwks: { keys: [unusedKey()] },
    scopes: [],
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: { token_endpoint_auth_method: 'none', id_token_signed_response_alg: 'ES256' },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    cookies: {
      // Derived, so that all hosts accept those of each other, and they are renewed with the secrets.
      keys: jwtSecrets.map((secret) =>
        createHmac('sha256', secret).update('cookies of authorization').digest('base64url'),
      ),
      names: {
        session: nameOf('oauth-session'),
        interaction: nameOf(REQUEST_COOKIE),
        resume: nameOf(RESUME_COOKIE),
      },
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    ttl: LIFE_SECONDS,
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { policy, url: (_context, { uid }) => consentPath(uid) },
    renderError: (context, { error }) => {
      context.redirect(`/user/authorize/refused?error=${encodeURIComponent(error)}`);
      context.status = 303;
    },
    clientBasedCORS: () => false,
    fetch: async (address) => fetchClient(deps, String(address)),
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => {
          throw new errors.InvalidTarget('one resource has to be named');
        },
        useGrantedResource: () => true,
        getResourceServerInfo: (context, identifier) => {
          const isOne = !Array.isArray(context.oidc.params?.resource);
          if (!isOne || !identifiers.includes(identifier)) throw new errors.InvalidTarget();
          const unknown = unknownScopes(context.oidc.params?.scope);
          if (context.oidc.route === 'authorization' && unknown.length > 0)
            throw new errors.InvalidScope(
              `there are only the scopes ${SCOPES.join(' and ')}`,
              unknown.join(' '),
            );
          return { scope: SCOPES.join(' '), audience: identifier, accessTokenFormat: 'opaque' };
        },
      },
    },
  });
  // What it is told of the address of a request comes from our settings.
  provider.proxy = true;
  provider.on('server_error', (_context, error) => deps.log.error({ err: error }, 'authorization failed'));
  return provider;
}

function unknownScopes(scope: unknown): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((one) => !SCOPES.includes(one)) : [];
}

function isAnswered({ oidc }: { oidc: { result?: { consent?: { grantId?: string } } } }): boolean {
  return oidc.result?.consent?.grantId !== undefined;
}

function unusedKey(): JWK {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as JWK;
}

/** The document in which a client describes itself, from a public address only. */
async function fetchClient({ requestPublic }: OauthDeps, address: string): Promise<Response> {
  const { status, headers, body } = await requestPublic(address, {
    headers: { Accept: 'application/json' },
    timeoutMs: CLIENT_MS,
    maxBytes: CLIENT_BYTES + 1,
  });
  const cacheControl = headers['cache-control'];
  const known =
    status === 200 && body.length <= CLIENT_BYTES ? JSON.stringify(publicClient(parsed(body))) : body;
  return new Response(known.toString(), {
    status,
    headers: cacheControl ? { 'Cache-Control': cacheControl } : {},
  });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
