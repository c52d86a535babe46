import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { formBytesLimit } from '#contract/form-sizes';
import { guardServer, type Refusal } from '#contract/server-guard';
import { DATA_HEADER } from './data-request.server';
import { env } from './env.server';
import { log } from './log.server';
import { countRequest, kindOf } from './meters.server';

/** Answers a post that another site started. The framework refuses those to pages as well, but as a failure of its own. */
const FOREIGN_POST_PATH = '/foreign-post';
/** Where destinations of codes report to, from their own sites. */
const BEACON = /^\/b\//i;

/** With the drain before it within five seconds. */
const LAST_ANSWERS_MS = 2_500;

interface RequestStart {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
  socket: { remoteAddress?: string };
}

declare global {
  var serverHooked: boolean | undefined;
  var stopping: boolean | undefined;
}

/**
 * remix-serve hides its HTTP server; Node announces each request on a diagnostics channel. Through it come the
 * client's address and what kind of answer it asks for (overwritten, so neither can be forged), headers for files as
 * well as pages, sane time-outs, and a line of the log for each answer.
 */
export function installServerHooks(): void {
  if (globalThis.serverHooked) return;
  globalThis.serverHooked = true;
  // Registered before remix-serve's own, which close the server.
  if (import.meta.env.PROD) {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      process.once(signal, () => {
        globalThis.stopping = true;
      });
    }
  }
  const seen = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { request, response, server, socket } = message as RequestStart;
    if (!seen.has(server)) {
      seen.add(server);
      closeGracefully(server);
      // Node announces a request before it asks who handles it, so that this one is guarded as well.
      guardServer(server, {
        addresses: env.SHORT_URL ? [env.PUBLIC_URL, env.SHORT_URL] : [env.PUBLIC_URL],
        internalKeys: env.internalKeys,
        includeSubDomains: env.HSTS_SUBDOMAINS,
        log,
        problemOf,
        mostBytes: formBytesLimit,
      });
      server.keepAliveTimeout = 65_000;
      server.headersTimeout = 66_000;
      // Time for the largest logo that is taken, 2 MB, over a line of 150 kbit/s. What is larger is refused in any case;
      // a form of 8 MB, the most that is read, has the time to be told so from 560 kbit/s on.
      server.requestTimeout = 120_000;
    }
    if (isStopping()) response.shouldKeepAlive = false;
    request.headers['x-socket-address'] = socket.remoteAddress ?? '';
    request.headers['x-request-id'] = requestIdOf(request);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    request.headers[DATA_HEADER] = /\.data(?:\?|$)/.test(request.url ?? '') ? '1' : '';
    const started = performance.now();
    const path = request.url?.split('?')[0] ?? '';
    if (isForeignPost(request, path)) Object.assign(request, { method: 'GET', url: FOREIGN_POST_PATH });
    response.once('finish', () => dropUnread(request));
    response.once('close', () => logAnswer(request, response, path, performance.now() - started));
  });
}

/** True once the website was told to stop: its health checks fail, so that a load balancer looks elsewhere. */
function isStopping(): boolean {
  return globalThis.stopping ?? false;
}

export function healthAnswer(): Response {
  const headers = { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' };
  return isStopping() ? new Response('stopping', { status: 503, headers }) : new Response('ok', { headers });
}

/**
 * remix-serve answers a signal by closing its server and then waits for as long as connections live. Here it first fails
 * its health checks, and ends with the last answer or when the patience for it is over.
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
      setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
    }, env.DRAIN_SECONDS * 1_000);
    return server;
  };
}

/** How the framework's former data requests looked: it answers them as a fault of its own. */
function problemOf({ url = '' }: IncomingMessage): Refusal | null {
  const query = url.includes('?') ? new URLSearchParams(url.slice(url.indexOf('?'))) : null;
  return query?.has('_data') ? { status: 400, reason: 'no page is asked for by _data' } : null;
}

function isForeignPost({ method = '', headers }: IncomingMessage, path: string): boolean {
  const { origin } = headers;
  if (origin === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(method) || BEACON.test(path)) return false;
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',')[0];
  const host = URL.canParse(origin) ? new URL(origin).host : '';
  return host !== (forwarded?.trim() || headers.host);
}

/**
 * The framework begins to read every body, and stops in the middle of one that it refuses. What is left of it would keep
 * the next request on the connection waiting for ever.
 */
function dropUnread(request: IncomingMessage): void {
  if (request.complete) return;
  request.removeAllListeners('data');
  request.resume();
}

/** The id that a request came with, where it looks like one, or a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers['x-request-id'] ?? '');
  return /^[\w-]{8,64}$/.test(given) ? given : randomUUID();
}

/** The path alone: a query may hold a one-time token. */
function logAnswer(request: IncomingMessage, response: ServerResponse, path: string, ms: number): void {
  const requestId = request.headers['x-request-id'];
  const { statusCode: status } = response;
  const kind = kindOf(request.method, path);
  countRequest(kind, status, ms);
  const level = kind === 'own' ? 'debug' : 'info';
  log[level]({ requestId, method: request.method, path, status, ms: Math.round(ms) }, 'answered');
}
