import { z } from 'zod';
import { Landing } from '#contract/contents/landings';
import { ErrorBody } from '#contract/errors';
import { readSlug } from '#contract/slugs';
import { ClosedPage, CodeOwner, getOwnerLogo, type visitByLink, type visitByScan } from '#contract/visits';
import { COUNTRY_HEADER, readInternalHeader } from '#runtime/client-address';
import { fetchWhole } from '#runtime/fetch-whole';
import {
  CLIENT_IP_HEADER,
  INTERNAL_KEY_HEADER,
  VISIT_ID_HEADER,
  VISIT_RESENT_HEADER,
} from '#runtime/internal-key';
import { isUncounted, UNCOUNTED_HEADERS } from '#runtime/uncounted';
import { env } from '~/http/env.server';
import { fetchHost, proxyFile } from '~/http/host.server';
import { log } from '~/http/log.server';
import { countryOf, type Scope, trustedSenders } from '~/http/scope.server';
import { type LandingState, landingResponse } from './landing-page.server';

const TIMEOUT_MS = 4_500;
/** Headers from which the host tells a person from a prefetch, a preview or a robot. */
const FORWARDED_HEADERS = [
  'user-agent',
  'accept-language',
  'referer',
  'sec-purpose',
  'purpose',
  'x-moz',
  'x-purpose',
];
/** Headers of the host's response for the sites that call a beacon. */
const RETURNED_HEADERS = [
  'content-type',
  'retry-after',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
  'x-visits-counted',
];

/**
 * Forwards a visit to the host and returns its response: a redirect unchanged, everything else as a light
 * page.
 */
export async function followCode(
  scope: Scope,
  call: typeof visitByScan | typeof visitByLink,
  code: string,
): Promise<Response> {
  const counted = scope.url.searchParams.get('counted');
  const search = counted === null ? '' : `?${new URLSearchParams({ counted })}`;
  // The actions on the page have the address without what was copied along with it.
  const name = readSlug(code) ?? code;
  const path = call.path.replace('{code}', encodeURIComponent(name)) + search;
  // The response body determines the page and so its status, but a response to HEAD has no body.
  return respond(scope, path, name, { isPrefetch: isHead(scope) });
}

/** Forwards a visitor's action on a landing page: the host counts it and returns where to redirect. */
export async function followAction(scope: Scope, code: string, act: string): Promise<Response> {
  if (!isName(code) || !isName(act)) {
    return landingResponse({ kind: 'unknown' }, code, scope.locale);
  }
  const n = scope.url.searchParams.get('n');
  const search = n === null ? '' : `?${new URLSearchParams({ n })}`;
  return respond(scope, `/e/${code}/${act}${search}`, code);
}

/** The logo on a code's page, for visitors whose request did not go straight to the host. */
export async function ownerLogo(scope: Scope, code: string): Promise<Response> {
  const sent = { params: { code }, token: scope.user?.token };
  return proxyFile(fetchHost(scope, getOwnerLogo, sent), 'private, max-age=300');
}

/** Forwards a beacon's report without credentials: other sites must not act for our signed-in users. */
export async function forwardReport(scope: Scope, code: string): Promise<Response> {
  const headers = new Headers({
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    'X-Request-Id': scope.requestId,
  });
  if (!isName(code)) return new Response(null, { status: 404, headers });
  try {
    const response = await requestHost(scope, `/b/${code}`);
    for (const name of RETURNED_HEADERS) {
      const value = response.headers.get(name);
      if (value) headers.set(name, value);
    }
    const hasBody = response.status !== 204 && !isHead(scope);
    return new Response(hasBody ? await response.arrayBuffer() : null, { status: response.status, headers });
  } catch (thrown) {
    logNoResponse(scope, thrown);
    return new Response(null, { status: 503, headers });
  }
}

interface HostRequestOptions {
  /** Sends a GET marked as a prefetch, which the host does not count as a visit. */
  isPrefetch?: boolean;
}

async function respond(
  scope: Scope,
  path: string,
  code: string,
  options: HostRequestOptions = {},
): Promise<Response> {
  const response = await responseOf(scope, path, code, options);
  response.headers.set('X-Request-Id', scope.requestId);
  return response;
}

async function responseOf(
  scope: Scope,
  path: string,
  code: string,
  options: HostRequestOptions,
): Promise<Response> {
  const { locale, session } = scope;
  const token = session && session !== 'broken' ? session.token : undefined;
  // The gateway has already waited for the host without success.
  if (scope.request.headers.has('x-host-unavailable'))
    return landingResponse({ kind: 'unavailable' }, code, locale);
  try {
    const response = await requestHost(scope, path, { token, ...options });
    const target = response.headers.get('location');
    const isCounted = !isUncounted((name) => response.headers.get(name));
    const noTrace = isCounted ? {} : UNCOUNTED_HEADERS;
    if (response.status === 302 && target) {
      const headers = { Location: target, 'Cache-Control': 'no-store', ...noTrace };
      return new Response(null, { status: 302, headers });
    }
    if (response.status === 204) return new Response(null, { status: 204, headers: noTrace });
    if (response.headers.has('content-disposition')) return fileOf(response);
    const hasBody = options.isPrefetch || !isHead(scope);
    const body: unknown = hasBody ? await response.json() : null;
    const owner = CodeOwner.safeParse((body as { owner?: unknown } | null)?.owner).data ?? null;
    const shown = { path: scope.url.pathname, owner, isCounted };
    return landingResponse(stateOf(response.status, body), code, locale, shown);
  } catch (thrown) {
    logNoResponse(scope, thrown);
    return landingResponse({ kind: 'unavailable' }, code, locale);
  }
}

/** What the visitor keeps: a contact or an event. */
function fileOf({ body, headers: sent }: Response): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  for (const name of ['content-type', 'content-disposition']) headers.set(name, sent.get(name) ?? '');
  return new Response(body, { headers });
}

async function requestHost(
  scope: Scope,
  path: string,
  { token, isPrefetch = false }: HostRequestOptions & { token?: string | undefined } = {},
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  for (const name of FORWARDED_HEADERS) {
    const value = scope.request.headers.get(name);
    if (value) headers.set(name, value);
  }
  if (isPrefetch) headers.set('sec-purpose', 'prefetch');
  const { requestId, clientIp } = scope;
  headers.set('X-Request-Id', requestId);
  headers.set(CLIENT_IP_HEADER, clientIp);
  headers.set(INTERNAL_KEY_HEADER, env.internalKeys[0] ?? '');
  const country = countryOf(scope.request);
  if (country !== null) headers.set(COUNTRY_HEADER, country);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  const visitId = readInternalHeader(
    (name) => scope.request.headers.get(name),
    VISIT_ID_HEADER,
    trustedSenders,
  );
  if (visitId !== undefined) {
    headers.set(VISIT_ID_HEADER, visitId);
    // Another website may have sent it before it died.
    headers.set(VISIT_RESENT_HEADER, '1');
  }
  return fetchWhole(new URL(path, env.HOST_URL), {
    method: isPrefetch ? 'GET' : scope.request.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function isHead({ request }: Scope): boolean {
  return request.method === 'HEAD';
}

function logNoResponse({ requestId }: Scope, thrown: unknown): void {
  log.warn({ err: thrown, requestId }, 'no response from the host for a visit');
}

/** Whether text is safe in a path without escaping; dots would allow path traversal. */
function isName(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

function stateOf(status: number, body: unknown): LandingState {
  const page = z.union([Landing, ClosedPage]).safeParse((body as { data?: unknown } | null)?.data);
  if (status === 200 && page.success) return page.data;
  const code = ErrorBody.safeParse(body).data?.code;
  if (code === 'code_private') return { kind: 'private' };
  if (code === 'code_deleted') return { kind: 'deleted' };
  if (code === 'code_blocked') return { kind: 'blocked' };
  if (code === 'code_circular') return { kind: 'circular' };
  return status >= 500 ? { kind: 'unavailable' } : { kind: 'unknown' };
}
