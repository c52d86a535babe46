import * as oauth from 'openid-client';
import type { TestAccount, TestHost } from './host';

export const ISSUER = 'https://www.quadrille.example';
export const API = `${ISSUER}/api/v1`;
export const REDIRECT = 'https://assistant.example/callback';

/** What the user does on the page, and what a library for clients does on both sides of it. */
export type Connector = ReturnType<typeof createConnector>;

interface Answer {
  allow?: boolean;
  permission?: 'read' | 'change';
  tag?: string | null;
  currentPassword?: string;
  code?: string;
}

/** A browser that keeps its cookies, and a client by `openid-client`, for a host without a socket. */
export function createConnector(host: Pick<TestHost, 'request'>) {
  const cookies = new Map<string, { value: string; path: string }>();
  const fetchOfClient: oauth.CustomFetch = async (url, { method, headers, body }) =>
    host.request(url.slice(ISSUER.length), {
      method,
      headers,
      body: body === undefined ? null : String(body),
    });

  /** A page that the browser opens at the host, with the cookies for its path; redirects are not followed. */
  async function open(url: string): Promise<Response> {
    const { pathname, search } = new URL(url, ISSUER);
    const sent = [...cookies].flatMap(([name, { value, path }]) =>
      pathname.startsWith(path) ? `${name}=${value}` : [],
    );
    const response = await host.request(pathname + search, { headers: { cookie: sent.join('; ') } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, { value, path: /path=([^;]+)/i.exec(line)?.[1] ?? '/' });
    }
    return response;
  }

  async function discover(clientId: string, execute: oauth.DiscoveryRequestOptions['execute'] = []) {
    const metadata = { token_endpoint_auth_method: 'none' };
    return oauth.discovery(new URL(ISSUER), clientId, metadata, oauth.None(), {
      algorithm: 'oauth2',
      [oauth.customFetch]: fetchOfClient,
      execute,
    });
  }

  async function register(metadata: object = {}) {
    const wanted = { client_name: 'Assistant', redirect_uris: [REDIRECT], ...metadata };
    return oauth.dynamicClientRegistration(
      new URL(ISSUER),
      wanted as Partial<oauth.ClientMetadata>,
      oauth.None(),
      {
        algorithm: 'oauth2',
        [oauth.customFetch]: fetchOfClient,
      },
    );
  }

  /** Where the browser is sent first; `request` is the id of the request if that is the page for consent. */
  async function begin(config: oauth.Configuration, parameters: Record<string, string> = {}) {
    const verifier = oauth.randomPKCECodeVerifier();
    const url = oauth.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'read change',
      resource: API,
      state: 'a state',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...parameters,
    });
    const location = (await open(url.href)).headers.get('location') ?? '';
    const request = /^\/user\/authorize\/([\w-]+)\/consent$/.exec(location)?.[1] ?? '';
    return { verifier, location, request };
  }

  /** What the website hands on from the browser's cookies. */
  const proofOf = (request: string) =>
    [...cookies].find(
      ([name, { path }]) => name === '__Secure-oauth-request.sig' && path === `/user/authorize/${request}`,
    )?.[1].value ?? '';

  /** Asks, as the page does. */
  async function show(account: TestAccount, request: string, proof = proofOf(request)) {
    const path = `/api/authorization?${new URLSearchParams({ request, proof })}`;
    const response = await host.request(path, { token: account.token });
    return { status: response.status, body: await response.json() };
  }

  async function answer(account: TestAccount, request: string, { allow = true, ...choice }: Answer = {}) {
    const response = await host.request('/api/authorization', {
      method: 'POST',
      token: account.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        request,
        proof: proofOf(request),
        allow,
        permission: 'change',
        currentPassword: account.password,
        ...choice,
      }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** From the answer of the user to the address of the client. */
  async function returned(returnTo: string): Promise<URL> {
    const response = await open(returnTo);
    return new URL(response.headers.get('location') ?? '', ISSUER);
  }

  /** The whole way to the tokens. */
  async function connect(account: TestAccount, choice: Answer = {}, parameters: Record<string, string> = {}) {
    const { client_id } = (await register()).clientMetadata();
    const config = await discover(client_id);
    const { verifier, request } = await begin(config, parameters);
    const { body } = await answer(account, request, choice);
    const callback = await returned(body.data.returnTo);
    const checks = { pkceCodeVerifier: verifier, expectedState: 'a state' };
    const tokens = await oauth.authorizationCodeGrant(config, callback, checks);
    return { config, callback, verifier, tokens };
  }

  return { open, discover, register, begin, show, answer, returned, connect, proofOf };
}
