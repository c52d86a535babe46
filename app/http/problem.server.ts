import { ERROR_STATUS, type ErrorCode, PROBLEM_TYPE, type Problem, problemOf } from '#contract/errors';
import { env } from './env.server';
import { HostError } from './host-error.server';
import { log } from './log.server';
import { type RequestArgs, readScope, type Scope } from './scope.server';

/** Refuses a call of a program, as the host does (RFC 9457). */
export function problemResponse(
  { requestId }: Pick<Scope, 'requestId'>,
  code: ErrorCode,
  { errors, headers }: { errors?: Problem['errors']; headers?: Record<string, string> } = {},
): Response {
  const problem = problemOf(code, { publicUrl: env.PUBLIC_URL, requestId, ...(errors && { errors }) });
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      'Content-Type': PROBLEM_TYPE,
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      ...headers,
    },
  });
}

/** Answers a call of a program: whatever is thrown becomes a problem document, unless it is a response. */
export async function answerProgram(
  args: RequestArgs,
  act: (scope: Scope) => Promise<Response>,
): Promise<Response> {
  const scope = await readScope(args);
  try {
    return await act(scope);
  } catch (thrown) {
    return refuseThrown(scope, thrown);
  }
}

export function refuseThrown(scope: Scope, thrown: unknown): Response {
  // The login page, where a session would have ended.
  if (thrown instanceof Response && thrown.status === 303) return problemResponse(scope, 'unauthenticated');
  if (thrown instanceof Response) return thrown;
  const { retryAfterSeconds } = scope;
  const headers: Record<string, string> = retryAfterSeconds
    ? { 'Retry-After': String(retryAfterSeconds) }
    : {};
  const isKnown = thrown instanceof HostError && Object.hasOwn(ERROR_STATUS, thrown.code);
  if (isKnown) return problemResponse(scope, thrown.code as ErrorCode, { headers });
  // The result of `data()`, as it is thrown where the host or the drawing is overloaded.
  const { init } = (thrown ?? {}) as { init?: ResponseInit | null };
  if (init?.status === 429) return problemResponse(scope, 'rate_limited', { headers });
  if (init?.status === 503)
    return problemResponse(scope, 'unavailable', { headers: { 'Retry-After': '30', ...headers } });
  if (!scope.signal.aborted) log.error({ err: thrown, requestId: scope.requestId }, 'request failed');
  return problemResponse(scope, 'internal');
}
