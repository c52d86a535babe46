import { ErrorBody } from '#contract/errors';
import { INTERNAL_KEY_HEADER } from '#contract/internal-key';
import type { visitByLink, visitByScan } from '#contract/visits';
import { Landing } from '#contract/visits';
import { env } from '~/http/env.server';
import { log } from '~/http/log.server';
import { type RequestContext, scopeOf } from '~/http/scope.server';
import { readSession } from '~/http/session.server';
import { getLocale } from '~/i18n/locale.server';
import { type LandingState, landingResponse } from './landing-page.server';

const TIMEOUT_MS = 4_500;
/** What tells a person from a prefetch, a preview or a robot; the host decides. */
const PASSED_ON = [
  'user-agent',
  'accept-language',
  'referer',
  'sec-purpose',
  'purpose',
  'x-moz',
  'x-purpose',
];
/** What the host says to the sites that call a beacon. */
const PASSED_BACK = [
  'content-type',
  'retry-after',
  'cross-origin-resource-policy',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
];

/** Passes a visit on to the host and answers what it says: the redirect as it is, everything else as a light page. */
export async function followCode(
  requestContext: RequestContext,
  call: typeof visitByScan | typeof visitByLink,
  code: string,
): Promise<Response> {
  const counted = new URL(requestContext.request.url).searchParams.get('counted');
  const search = counted === null ? '' : `?${new URLSearchParams({ counted })}`;
  return answerInPlace(requestContext, call.path.replace('{code}', encodeURIComponent(code)) + search, code);
}

/** Passes on what a visitor does on the light page of a code: the host counts it and says where it leads. */
export async function followAct(
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

/** Passes a call of a beacon on, in the name of nobody: sites that call it have no business with our cookies. */
export async function passReport(requestContext: RequestContext, code: string): Promise<Response> {
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
    const hasBody = answer.status !== 204 && requestContext.request.method !== 'HEAD';
    return new Response(hasBody ? await answer.arrayBuffer() : null, { status: answer.status, headers });
  } catch (thrown) {
    logSilence(requestContext, thrown);
    return new Response(null, { status: 503, headers });
  }
}

async function answerInPlace(requestContext: RequestContext, path: string, code: string): Promise<Response> {
  const answer = await answerOf(requestContext, path, code);
  answer.headers.set('X-Request-Id', scopeOf(requestContext).requestId);
  return answer;
}

async function answerOf(requestContext: RequestContext, path: string, code: string): Promise<Response> {
  const { request } = requestContext;
  const [locale, session] = await Promise.all([getLocale(request), readSession(request)]);
  const token = session && session !== 'broken' ? session.token : undefined;
  // The gateway has waited for the host already.
  if (request.headers.has('x-host-unavailable'))
    return landingResponse({ kind: 'unavailable' }, code, locale);
  try {
    const answer = await askHost(requestContext, path, token);
    const target = answer.headers.get('location');
    if (answer.status === 302 && target) {
      return new Response(null, { status: 302, headers: { Location: target, 'Cache-Control': 'no-store' } });
    }
    if (answer.status === 204) return new Response(null, { status: 204 });
    const body: unknown = request.method === 'HEAD' ? null : await answer.json();
    return landingResponse(stateOf(answer.status, body), code, locale, new URL(request.url).pathname);
  } catch (thrown) {
    logSilence(requestContext, thrown);
    return landingResponse({ kind: 'unavailable' }, code, locale);
  }
}

async function askHost(
  { request, context }: RequestContext,
  path: string,
  token?: string,
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json' });
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value) headers.set(name, value);
  }
  const { requestId, address } = scopeOf({ request, context });
  headers.set('X-Request-Id', requestId);
  headers.set('X-Client-Address', address);
  headers.set(INTERNAL_KEY_HEADER, env.internalKeys[0] ?? '');
  const country = env.COUNTRY_HEADER && request.headers.get(env.COUNTRY_HEADER);
  if (country) headers.set('X-Client-Country', country);
  if (token) headers.set('Authorization', `Bearer ${token}`);
  return fetch(new URL(path, env.HOST_URL), {
    method: request.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function logSilence({ request, context }: RequestContext, thrown: unknown): void {
  const { requestId } = scopeOf({ request, context });
  log.warn({ err: thrown, requestId }, 'no answer from the host for a visit');
}

/** True for what can stand in a path as it is; dots could lead out of it. */
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
