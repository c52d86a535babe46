import { ErrorBody } from '#contract/errors';
import type { visitByLink, visitByScan } from '#contract/visits';
import { Landing } from '#contract/visits';
import { env } from '~/http/env.server';
import type { Asker } from '~/http/host.server';
import { log } from '~/http/log.server';
import { scopeOf } from '~/http/scope.server';
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

/** Passes a visit on to the host and answers what it says: the redirect as it is, everything else as a light page. */
export async function followCode(
  asker: Asker,
  call: typeof visitByScan | typeof visitByLink,
  code: string,
): Promise<Response> {
  const { request } = asker;
  const [locale, session] = await Promise.all([getLocale(request), readSession(request)]);
  const headers = new Headers({ Accept: 'application/json' });
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value) headers.set(name, value);
  }
  const { requestId, address } = scopeOf(asker.context, request);
  headers.set('X-Request-Id', requestId);
  headers.set('X-Client-Address', address);
  if (session && session !== 'broken') headers.set('Authorization', `Bearer ${session.token}`);
  const url = new URL(call.path.replace('{code}', encodeURIComponent(code)), env.HOST_URL);
  const counted = new URL(request.url).searchParams.get('counted');
  if (counted) url.searchParams.set('counted', counted);
  const { method } = request;
  try {
    const answer = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const target = answer.headers.get('location');
    if (answer.status === 302 && target) {
      return new Response(null, { status: 302, headers: { Location: target, 'Cache-Control': 'no-store' } });
    }
    return landingResponse(stateOf(answer.status, method === 'HEAD' ? null : await answer.json()), locale);
  } catch (thrown) {
    log.warn({ err: thrown, requestId }, 'no answer from the host for a visit');
    return landingResponse({ kind: 'unavailable' }, locale);
  }
}

function stateOf(status: number, body: unknown): LandingState {
  const landing = Landing.safeParse((body as { data?: unknown } | null)?.data);
  if (status === 200 && landing.success) return landing.data;
  const code = ErrorBody.safeParse(body).data?.code;
  if (code === 'code_private') return { kind: 'private' };
  if (code === 'code_deleted') return { kind: 'deleted' };
  return status >= 500 ? { kind: 'unavailable' } : { kind: 'unknown' };
}
