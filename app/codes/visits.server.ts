import { ErrorBody } from '#contract/errors';
import { CLIENT_IP_HEADER, INTERNAL_KEY_HEADER } from '#contract/internal-key';
import type { visitByLink, visitByScan } from '#contract/visits';
import { Landing } from '#contract/visits';
import { env } from '~/http/env.server';
import { log } from '~/http/log.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { readSession } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import { type LandingState, landingResponse } from './landing-page.server';

const TIMEOUT_MS = 4_500;
/** Headers that tell a person from a prefetch, a preview or a robot; the host decides. */
const PASSED_ON = [
  'user-agent',
  'accept-language',
  'referer',
  'sec-purpose',
  'purpose',
  'x-moz',
  'x-purpose',
];
/** Headers from the host for the sites that call a beacon. */
const PASSED_BACK = [
  'content-type',
  'retry-after',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
];

/** Passes a visit on to the host and returns its answer: a redirect as it is, everything else as a light page. */
export async function followCode(
  requestContext: RequestContext,
  call: typeof visitByScan | typeof visitByLink,
  code: string,
): Promise<Response> {
  const counted = new URL(requestContext.request.url).searchParams.get('counted');
  const search = counted === null ? '' : `?${new URLSearchParams({ counted })}`;
  const path = call.path.replace('{code}', encodeURIComponent(code)) + search;
  // What kind of page there is, and so its status, is said by the body, which an answer to HEAD lacks.
  return answerInPlace(requestContext, path, code, { asksWithoutVisit: isHead(requestContext) });
}

/** Passes on a visitor's action on a code's light page: the host counts it and says where it leads. */
export async function followAction(
  requestContext: RequestContext,
  code: string,
  act: string,
): Promise<Response> {
  if (!isName(code) || !isName(act)) {
    return landingResponse({ kind: 'unknown' }, code, await getLocale(requestContext.request));
  }
  const n = new URL(requestContext.request.url).searchParams.get('n');
  const search = n === null ? '' : `?${new URLSearchParams({ n })}`;
  return answerInPlace(requestContext, `/e/${code}/${act}${search}`, code);
}

/** Forwards a beacon's report without credentials: the sites that send it must not act for our signed-in users. */
export async function forwardReport(requestContext: RequestContext, code: string): Promise<Response> {
  const headers = new Headers({
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    'X-Request-Id': scopeOf(requestContext).requestId,
  });
  if (!isName(code)) return new Response(null, { status: 404, headers });
  try {
    const answer = await askHost(requestContext, `/b/${code}`);
    for (const name of PASSED_BACK) {
      const value = answer.headers.get(name);
      if (value) headers.set(name, value);
    }
    const hasBody = answer.status !== 204 && !isHead(requestContext);
    return new Response(hasBody ? await answer.arrayBuffer() : null, { status: answer.status, headers });
  } catch (thrown) {
    logSilence(requestContext, thrown);
    return new Response(null, { status: 503, headers });
  }
}

interface Asking {
  /** Asks for the page by GET, as browsers do ahead of a visit: the host does not count it. */
  asksWithoutVisit?: boolean;
}

async function answerInPlace(
  requestContext: RequestContext,
  path: string,
  code: string,
  asking: Asking = {},
): Promise<Response> {
  const answer = await answerOf(requestContext, path, code, asking);
  answer.headers.set('X-Request-Id', scopeOf(requestContext).requestId);
  return answer;
}

async function answerOf(
  requestContext: RequestContext,
  path: string,
  code: string,
  asking: Asking,
): Promise<Response> {
  const { request } = requestContext;
  const [locale, session] = await Promise.all([getLocale(request), readSession(request)]);
  const token = session && session !== 'broken' ? session.token : undefined;
  // The gateway has already waited for the host.
  if (request.headers.has('x-host-unavailable'))
    return landingResponse({ kind: 'unavailable' }, code, locale);
  try {
    const answer = await askHost(requestContext, path, { token, ...asking });
    const target = answer.headers.get('location');
    if (answer.status === 302 && target) {
      return new Response(null, { status: 302, headers: { Location: target, 'Cache-Control': 'no-store' } });
    }
    if (answer.status === 204) return new Response(null, { status: 204 });
    const hasBody = asking.asksWithoutVisit || !isHead(requestContext);
    const body: unknown = hasBody ? await answer.json() : null;
    return landingResponse(stateOf(answer.status, body), code, locale, new URL(request.url).pathname);
  } catch (thrown) {
    logSilence(requestContext, thrown);
    return landingResponse({ kind: 'unavailable' }, code, locale);
  }
}

async function askHost(
  { request, context }: RequestContext,
  path: string,
  { token, asksWithoutVisit = false }: Asking & { token?: string | undefined } = {},
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value) headers.set(name, value);
  }
  if (asksWithoutVisit) headers.set('sec-purpose', 'prefetch');
  const { requestId, clientIp } = scopeOf({ request, context });
  headers.set('X-Request-Id', requestId);
  headers.set(CLIENT_IP_HEADER, clientIp);
  headers.set(INTERNAL_KEY_HEADER, env.internalKeys[0] ?? '');
  const country = env.COUNTRY_HEADER && request.headers.get(env.COUNTRY_HEADER);
  if (country) headers.set('X-Client-Country', country);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  return fetch(new URL(path, env.HOST_URL), {
    method: asksWithoutVisit ? 'GET' : request.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function isHead({ request }: RequestContext): boolean {
  return request.method === 'HEAD';
}

function logSilence({ request, context }: RequestContext, thrown: unknown): void {
  const { requestId } = scopeOf({ request, context });
  log.warn({ err: thrown, requestId }, 'no answer from the host for a visit');
}

/** True for text that is safe in a path as it is; dots could lead out of it. */
function isName(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

function stateOf(status: number, body: unknown): LandingState {
  const landing = Landing.safeParse((body as { data?: unknown } | null)?.data);
  if (status === 200 && landing.success) return landing.data;
  const code = ErrorBody.safeParse(body).data?.code;
  if (code === 'code_private') return { kind: 'private' };
  if (code === 'code_deleted') return { kind: 'deleted' };
  if (code === 'code_blocked') return { kind: 'blocked' };
  if (code === 'code_circular') return { kind: 'circular' };
  return status >= 500 ? { kind: 'unavailable' } : { kind: 'unknown' };
}
