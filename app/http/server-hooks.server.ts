import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { DATA_HEADER } from './data-request.server';
import { log } from './log.server';

/** Answers a post that another site started. The framework refuses those to pages as well, but as a failure of its own. */
const FOREIGN_POST_PATH = '/foreign-post';
/** Where destinations of codes report to, from their own sites. */
const BEACON = /^\/b\//i;

interface RequestStart {
  request: IncomingMessage;
  response: ServerResponse;
  server: Server;
  socket: { remoteAddress?: string };
}

declare global {
  var serverHooked: boolean | undefined;
}

/**
 * remix-serve hides its HTTP server; Node announces each request on a diagnostics channel. Through it come the
 * client's address and what kind of answer it asks for (overwritten, so neither can be forged), headers for files as
 * well as pages, sane time-outs, and a line of the log for each answer.
 */
export function hookServer(): void {
  if (globalThis.serverHooked) return;
  globalThis.serverHooked = true;
  const seen = new WeakSet<Server>();
  subscribe('http.server.request.start', (message) => {
    const { request, response, server, socket } = message as RequestStart;
    if (!seen.has(server)) {
      seen.add(server);
      server.keepAliveTimeout = 65_000;
      server.headersTimeout = 66_000;
      // Time for the largest logo that is taken, 2 MB, over a line of 150 kbit/s. What is larger is refused in any case;
      // a form of 8 MB, the most that is read, has the time to be told so from 560 kbit/s on.
      server.requestTimeout = 120_000;
    }
    request.headers['x-socket-address'] = socket.remoteAddress ?? '';
    response.setHeader('X-Content-Type-Options', 'nosniff');
    request.headers[DATA_HEADER] = /\.data(?:\?|$)/.test(request.url ?? '') ? '1' : '';
    const started = performance.now();
    const path = request.url?.split('?')[0] ?? '';
    if (isForeignPost(request, path)) Object.assign(request, { method: 'GET', url: FOREIGN_POST_PATH });
    response.once('close', () => logAnswer(request, response, path, performance.now() - started));
  });
}

function isForeignPost({ method = '', headers }: IncomingMessage, path: string): boolean {
  const { origin } = headers;
  if (origin === undefined || ['GET', 'HEAD', 'OPTIONS'].includes(method) || BEACON.test(path)) return false;
  const forwarded = String(headers['x-forwarded-host'] ?? '').split(',')[0];
  const host = URL.canParse(origin) ? new URL(origin).host : '';
  return host !== (forwarded?.trim() || headers.host);
}

/** The path alone: a query may hold a one-time token. */
function logAnswer(request: IncomingMessage, response: ServerResponse, path: string, ms: number): void {
  const requestId = response.getHeader('x-request-id');
  const { statusCode: status } = response;
  log.info({ requestId, method: request.method, path, status, ms: Math.round(ms) }, 'answered');
}
