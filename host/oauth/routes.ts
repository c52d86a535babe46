import type { Context } from 'hono';
import type { Provider } from 'oidc-provider';
import { isStorable } from '#contract/storable';
import { DAY_MS } from '#contract/time';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { HostContext, Router } from '#host/http/mount';
import { consumeRateLimit, hourly, type RateLimit, tryConsumeRateLimit } from '#host/http/rate-limit';
import { readJson, readText } from '#host/http/request-body';
import { headerOf } from '#host/http/request-headers';
import { publicClient } from './clients';
import { mountConsent } from './consent-routes';
import { exchange, type PlainRequest, type PlainResponse } from './exchange';
import { consentPath, cookiePath, createProvider, resourcesOf, SCOPES } from './provider';

/** Each request stores a row for an hour. */
const REQUESTS = hourly('oauth-authorize', 120);
/** Some assistants ask for all their users from a few addresses. */
const TOKENS = hourly('oauth-token', 6_000);
const REGISTRATIONS: RateLimit = { name: 'oauth-register', points: 100, windowSeconds: DAY_MS / 1000 };

/** Everything else that a client sends is ignored (RFC 6749, section 3.1). */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'prompt',
];

/**
 * Scopes of OpenID Connect, which libraries add by themselves: nobody gets them, and the answer says so by naming those
 * that are given (RFC 6749, section 3.3).
 */
const OF_IDENTITIES = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access']);

type HostRequest = Context<HostContext>;

/** OAuth 2.1 for programs that take no key: metadata, the endpoints of clients, and the answers of users. */
export function mountOauth(router: Router, deps: Deps): void {
  const { app } = router;
  const { db, clock, settings } = deps;
  let loading: Promise<Provider> | undefined;
  const load = () => {
    loading ??= createProvider(deps).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  mountMetadata(router, settings);
  mountConsent(router, deps, load);

  app.get('/oauth/authorize', async (context) => {
    context.set('call', 'authorize');
    const isWithin = await tryConsumeRateLimit(db.orm, REQUESTS, context.get('clientIp'), clock.now());
    if (!isWithin) return refuse(context, 'rate_limited');
    const wanted = requestOf(context);
    if (!isStorable([...wanted.values()].join())) return refuse(context, 'invalid_request');
    return answer(context, { method: 'GET', url: `/oauth/authorize?${wanted}` });
  });

  app.get('/oauth/authorize/:request', async (context) => {
    context.set('call', 'resumeAuthorization');
    return answer(context, {
      method: 'GET',
      url: `/oauth/authorize/${encodeURIComponent(context.req.param('request'))}`,
    });
  });

  for (const [path, name] of Object.entries({ token: 'issueToken', revoke: 'revokeToken' }))
    app.post(`/oauth/${path}`, async (context) => {
      context.set('call', name);
      await consumeRateLimit(db.orm, TOKENS, context.get('clientIp'), clock.now());
      const body = await readText(context);
      if (!isStorable([...new URLSearchParams(body).values()].join()))
        throw new ApiError('malformed', {
          detail: 'A parameter has a character that no value here may have.',
        });
      const type = headerOf(context, 'content-type') ?? '';
      return answer(context, { method: 'POST', url: `/oauth/${path}`, body }, { 'content-type': type });
    });

  app.post('/oauth/register', async (context) => {
    context.set('call', 'registerClient');
    await consumeRateLimit(db.orm, REGISTRATIONS, context.get('clientIp'), clock.now());
    const body = JSON.stringify(publicClient(await readJson(context)));
    return answer(
      context,
      { method: 'POST', url: '/oauth/register', body },
      { 'content-type': 'application/json' },
    );
  });

  const methods = { authorize: 'GET', token: 'POST', revoke: 'POST', register: 'POST' };
  for (const [path, method] of Object.entries(methods))
    app.all(`/oauth/${path}`, (context) => {
      context.header('Allow', method);
      throw new ApiError('method_not_allowed');
    });

  async function answer(
    context: HostRequest,
    plain: Omit<PlainRequest, 'headers'>,
    bodyHeaders: Record<string, string> = {},
  ): Promise<Response> {
    const { host, protocol } = new URL(settings.publicUrl);
    const isPage = plain.method === 'GET';
    const provider = await load();
    const answered = await exchange(provider.callback(), {
      ...plain,
      headers: {
        host,
        'x-forwarded-proto': protocol.slice(0, -1),
        accept: isPage ? 'text/html' : 'application/json',
        ...(isPage && { cookie: ownCookies(headerOf(context, 'cookie') ?? '') }),
        ...(plain.body !== undefined && {
          'content-length': String(Buffer.byteLength(plain.body)),
          ...bodyHeaders,
        }),
      },
    });
    return responseOf(answered);
  }
}

/** Tells the user, where the program cannot be told. */
function refuse(context: HostRequest, error: string): Response {
  return context.redirect(`/user/authorize/refused?error=${error}`, 303);
}

/** What the library gets to see of a request: what it may decide on, with nothing that would ask for an identity. */
function requestOf(context: HostRequest): URLSearchParams {
  const given = new URL(context.req.url).searchParams;
  const wanted = new URLSearchParams();
  for (const name of PARAMETERS) for (const value of given.getAll(name)) wanted.append(name, value);
  const scopes = given.getAll('scope').flatMap((list) => list.split(' ').filter((scope) => scope !== ''));
  const ours = scopes.filter((scope) => !OF_IDENTITIES.has(scope));
  wanted.set('scope', (ours.length > 0 ? ours : scopes).join(' ') || 'read');
  return wanted;
}

/** Of the website's cookies the library needs none, nor may an earlier answer stand for a later one. */
function ownCookies(cookies: string): string {
  return cookies
    .split(/;\s*/)
    .filter((cookie) => /^(?:__Secure-)?oauth-(?:request|resume)(?:\.sig)?=/.test(cookie))
    .join('; ');
}

function responseOf({ status, headers, body }: PlainResponse): Response {
  const kept = new Headers();
  for (const [name, value] of headers) {
    const isSession = name === 'set-cookie' && /^(?:__Secure-)?oauth-session(?:\.sig)?=/.test(value);
    if (isSession || name === 'content-length') continue;
    kept.append(name, name === 'set-cookie' ? withWiderPath(value) : value);
  }
  kept.set('Cache-Control', 'no-store');
  kept.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  kept.set('Referrer-Policy', 'no-referrer');
  return new Response(body === '' ? null : body, { status, headers: kept });
}

/** Also for the page's data, whose address only begins with that of the page. */
function withWiderPath(cookie: string): string {
  const [, uid] = /path=\/user\/authorize\/([\w-]+)\/consent/.exec(cookie) ?? [];
  return uid ? cookie.replace(`path=${consentPath(uid)}`, `path=${cookiePath(uid)}`) : cookie;
}

/** Metadata of the server (RFC 8414) and of what its tokens are for (RFC 9728), without loading the library. */
function mountMetadata({ app }: Router, { publicUrl, appName }: Deps['settings']): void {
  const serve = (path: string, document: object) =>
    app.get(path, (context) => {
      context.set('call', 'oauthMetadata');
      // Clients that run in a browser read it, too; it is the same for everybody.
      const headers = { 'Cache-Control': 'public, max-age=3600', 'Access-Control-Allow-Origin': '*' };
      return context.json(document, 200, headers);
    });
  const documentation = `${publicUrl}/developers#oauth`;
  serve('/.well-known/oauth-authorization-server', {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/oauth/authorize`,
    token_endpoint: `${publicUrl}/oauth/token`,
    registration_endpoint: `${publicUrl}/oauth/register`,
    revocation_endpoint: `${publicUrl}/oauth/revoke`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: documentation,
  });
  const { api, mcp } = resourcesOf(publicUrl);
  // Clients that know no path ask at the root; those were made for assistants.
  for (const [suffix, resource] of Object.entries({ '': mcp, '/mcp': mcp, '/api/v1': api }))
    serve(`/.well-known/oauth-protected-resource${suffix}`, {
      resource,
      resource_name: appName,
      authorization_servers: [publicUrl],
      scopes_supported: SCOPES,
      bearer_methods_supported: ['header'],
      resource_documentation: documentation,
    });
}
