import type { Context, Hono } from 'hono';
import type { Call } from '#contract/call';
import { ApiError } from './errors';
import type { HostContext } from './mount';
import { isPublicPath } from './published';

/** Of a preflight, which has no key: any page may ask, and the call itself is refused unless its key names the origin. */
const ANY_PAGE = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id',
  // As long as Chromium keeps it.
  'Access-Control-Max-Age': '7200',
};
/** What pages may read besides the headers that browsers always let them read. */
const EXPOSED = [
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Scan-Grade',
  'X-Request-Id',
].join(', ');

type MethodsOf = (path: string) => string[];

/** The methods that the address of a call for programs has; none if there is no such address. */
export function methodsOfPrograms(calls: readonly Pick<Call, 'path' | 'method'>[]): MethodsOf {
  const methods = calls
    .filter(({ path }) => isPublicPath(path))
    .map(({ path, method }) => ({ pattern: patternOf(path), method }));
  return (path) => {
    const found = methods.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set<string>(found)];
  };
}

/** Answers preflights (Fetch standard, CORS protocol) of calls for programs. */
export function answerPreflights(app: Hono<HostContext>, methodsOf: MethodsOf): void {
  app.options('/api/v1/*', (context) => {
    const found = methodsOf(context.req.path);
    if (found.length === 0) throw new ApiError('not_found');
    return context.body(null, 204, { ...ANY_PAGE, 'Access-Control-Allow-Methods': found.join(', ') });
  });
}

/** Refuses a request that no route has taken: an address that is there has no such method. */
export function refuseUnrouted(context: Context, methodsOf: MethodsOf): ApiError {
  const { method, path } = context.req;
  const found = methodsOf(path);
  // The website answers some calls, which is then not asked.
  if (found.length === 0 || found.includes(method)) return new ApiError('not_found');
  const allowed = [...found, ...(found.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  context.header('Allow', allowed.join(', '));
  return new ApiError('method_not_allowed');
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** Lets a page read an answer if the key names its origin: never with cookies, as no call for programs takes them. */
export function setOriginHeaders(headers: Headers, origin: string | undefined): void {
  headers.append('Vary', 'Origin');
  if (origin === undefined) return;
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', EXPOSED);
}
