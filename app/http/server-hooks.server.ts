import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { format } from 'node:util';
import { formBytesLimit } from '#runtime/request-bodies';
import { REQUEST_ID_HEADER, resolveRequestId } from '#runtime/request-id';
import { headerOf, loggedPath } from '#runtime/request-target';
import { calledHost, isOriginOf } from '#runtime/same-origin';
import { guardServer, type Refusal } from '#runtime/server-guard';
import { isUncounted } from '#runtime/uncounted';
import { DATA_HEADER } from './data-request.server';
import { env } from './env.server';
import { log } from './log.server';
import { countRequest, kindOf } from './meters.server';
import { answerPublicPages } from './public-pages.server';
import { trustedSenders } from './scope.server';

/** Route that refuses cross-site POSTs. Remix refuses those to pages too, but as an error of its own. */
const FOREIGN_POST_PATH = '/foreign-post';
/** Called by destinations of codes, from their own sites. */
const BEACON = /^\/b\//i;

/** Together with the drain before, at most five seconds. */
const LAST_RESPONSES_MS = 2_500;

declare global {
  var serverHooked: boolean | undefined;
  var stopping: boolean | undefined;
}

/** remix-serve hides its HTTP server, but Node announces each request, with its server, on a diagnostics channel. */
export function installServerHooks(): void {
  if (globalThis.serverHooked) return;
  globalThis.serverHooked = true;
  // Registered before remix-serve's own handlers, which close the server.
  if (import.meta.env.PROD) {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      process.once(signal, () => {
        globalThis.stopping = true;
      });
    }
    // Where remix-serve writes its own errors, such as for a range beyond the end of a file, with their stack traces.
    for (const method of ['error', 'warn'] as const)
      console[method] = (...texts) => log.warn({ text: format(...texts) }, 'written to the console');
  }
  const seen = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { server } = message as { server: Server };
    if (seen.has(server)) return;
    seen.add(server);
    closeGracefully(server);
    // Before the guard, which takes these handlers over.
    if (import.meta.env.PROD) answerPublicPages(server);
    // Node announces a request before it emits `request`, so that this one is guarded too.
    guardServer(server, {
      addresses: [env.PUBLIC_URL],
      shortUrl: env.SHORT_URL,
      internalKeys: env.internalKeys,
      includeSubDomains: env.HSTS_SUBDOMAINS,
      log,
      proxies: trustedSenders,
      prepare,
      problemOf,
      maxBytes: formBytesLimit,
    });
  });
}

/**
 * Sets the client's address and the data header (overwritten, so neither can be forged) and a header for files as well as
 * pages, and logs the response.
 */
function prepare(request: IncomingMessage, response: ServerResponse): void {
  if (isStopping()) response.shouldKeepAlive = false;
  request.headers['x-socket-address'] = request.socket.remoteAddress ?? '';
  request.headers[REQUEST_ID_HEADER] = resolveRequestId(headerOf(request, REQUEST_ID_HEADER));
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const started = performance.now();
  const path = request.url?.split('?')[0] ?? '';
  request.headers[DATA_HEADER] = path.endsWith('.data') ? '1' : '';
  if (isForeignPost(request, path)) Object.assign(request, { method: 'GET', url: FOREIGN_POST_PATH });
  response.once('finish', () => dropUnread(request));
  response.once('close', () => logResponse(request, response, path, performance.now() - started));
}

/** True after a signal to stop: health checks fail, so that load balancers send no more requests. */
function isStopping(): boolean {
  return globalThis.stopping ?? false;
}

export function healthResponse(): Response {
  const headers = { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' };
  return isStopping() ? new Response('stopping', { status: 503, headers }) : new Response('ok', { headers });
}

/**
 * On a signal remix-serve closes its server and then waits for open connections indefinitely. Here health
 * checks fail first, and the process exits after the last response or a timeout.
 */
function closeGracefully(server: Server): void {
  const close = server.close.bind(server);
  let isClosing = false;
  server.close = (onClosed) => {
    if (!isStopping()) return close(onClosed);
    if (isClosing) return server;
    isClosing = true;
    setTimeout(() => {
      close(() => process.exit(0));
      setTimeout(() => server.closeAllConnections(), LAST_RESPONSES_MS);
    }, env.DRAIN_SECONDS * 1_000);
    return server;
  };
}

/** Refuses data requests in the format of earlier Remix versions, which Remix reports as its own error. */
function problemOf({ url = '' }: IncomingMessage): Refusal | null {
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?'))) : null;
  return query?.has('_data') ? { status: 400, reason: 'data requests with _data are not supported' } : null;
}

function isForeignPost({ method = '', headers }: IncomingMessage, path: string): boolean {
  const { origin } = headers;
  if (origin === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(method) || BEACON.test(path)) return false;
  return !isOriginOf(origin, calledHost(headers));
}

/**
 * Remix starts reading every body, and stops in the middle of one that it refuses. The unread rest would
 * block the next request on the connection forever.
 */
function dropUnread(request: IncomingMessage): void {
  if (request.complete) return;
  request.removeAllListeners('data');
  request.resume();
}

/** Logs the path only: a query may contain a one-time token. Of visits of uncounted codes nothing is logged. */
function logResponse(request: IncomingMessage, response: ServerResponse, path: string, ms: number): void {
  const requestId = request.headers[REQUEST_ID_HEADER];
  const { statusCode: status } = response;
  if (isUncounted((name) => response.getHeader(name))) return;
  const kind = kindOf(request.method, path);
  countRequest(kind, status, ms);
  const level = kind === 'own' ? 'debug' : 'info';
  log[level](
    { requestId, method: request.method, path: loggedPath(path), status, ms: Math.round(ms) },
    'answered',
  );
}
