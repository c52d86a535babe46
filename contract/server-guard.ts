import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { INTERNAL_KEY_HEADER, isInternalKey } from './internal-key';
import { createHostCheck, type HostVerdict } from './own-addresses';

interface GuardOptions {
  /** Addresses under which the program is reached, beside loopback. */
  addresses: readonly string[];
  /** Who brings one of these may name the program as it likes: website and gateway call a host by its own address. */
  internalKeys: readonly string[];
  /** Whether HSTS covers the subdomains. */
  includeSubDomains: boolean;
  log: { info(entry: object, message: string): void };
  /** What is wrong with a request beyond what every program refuses. */
  problemOf?: (request: IncomingMessage) => Refusal | null;
}

export interface Refusal {
  status: 400 | 405 | 421;
  reason: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const HEALTH = /^\/(?:livez|readyz|healthz)(?:\?|$)/;
const TWO_YEARS = 63_072_000;
const LONGEST_PATH = 200;
/** Node's own answers to what it cannot parse. */
const PARSER_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Refuses, before any handler of `server` sees it, what no handler can answer well: a Host that is not ours (421), one
 * that is no host, a target that is no path, a method that nobody has. Each refusal is a line of the log. Every answer to
 * an address that is reached by TLS carries HSTS.
 */
export function guardServer(server: Server, options: GuardOptions): void {
  const { internalKeys, log } = options;
  const judge = createHostCheck(options.addresses);
  const hsts = `max-age=${TWO_YEARS}${options.includeSubDomains ? '; includeSubDomains' : ''}`;
  const handlers = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request, response);
    if (refusal) return refuse(request, response, refusal);
    for (const handle of handlers) handle.call(server, request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseUnparsed(error, socket, log));

  function refusalOf(request: IncomingMessage, response: ServerResponse): Refusal | null {
    askForTls(request, response);
    if (!METHODS.has(request.method ?? '')) return { status: 405, reason: 'the method is not supported' };
    const target = targetProblem(request);
    if (target) return { status: 400, reason: target };
    if (timesGiven(request, 'host') > 1) return { status: 400, reason: 'the request names several hosts' };
    const isHealth = isHealthCheck(request.url ?? '');
    const { host } = request.headers;
    if (host === undefined) {
      if (!isHealth) return { status: 400, reason: 'the request names no host' };
      request.headers.host = 'localhost';
    }
    const verdict = askForTls(request, response);
    const isKnown = () =>
      isHealth || isInternalKey(request.headers[INTERNAL_KEY_HEADER] as string, internalKeys);
    return (
      hostProblem(verdict, isKnown) ??
      forwardedProblem(request, isKnown) ??
      options.problemOf?.(request) ??
      null
    );
  }

  /** Judges the host; an answer to one that is reached by TLS has HSTS, also where it is a refusal. */
  function askForTls({ headers }: IncomingMessage, response: ServerResponse): HostVerdict {
    const verdict = judge(headers.host ?? '');
    if (verdict === 'own-https') response.setHeader('Strict-Transport-Security', hsts);
    else response.removeHeader('Strict-Transport-Security');
    return verdict;
  }

  /** Hosts that a proxy has put before the one it asks for are believed in nothing, but addresses are built from them. */
  function forwardedProblem({ headers }: IncomingMessage, isKnown: () => boolean): Refusal | null {
    const forwarded = headers['x-forwarded-host'];
    if (forwarded === undefined) return null;
    const verdicts = String(forwarded)
      .split(',')
      .map((host) => judge(host.trim()));
    const worst = verdicts.find((verdict) => verdict === 'malformed') ?? verdicts[0] ?? 'malformed';
    return hostProblem(worst, isKnown);
  }

  function refuse(request: IncomingMessage, response: ServerResponse, { status, reason }: Refusal): void {
    const { method, url = '', headers } = request;
    const path = pathOf(url);
    log.info({ method, path, status, reason, host: headers.host?.slice(0, LONGEST_PATH) }, 'refused');
    // What a refused request goes on sending is not waited for.
    response.shouldKeepAlive = false;
    response.writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 405 && { Allow: [...METHODS].join(', ') }),
    });
    response.end(method === 'HEAD' ? undefined : `${status}: ${reason}\n`);
  }
}

/** Whether a path asks how a program is: load balancers ask every other second, and by address. */
export function isHealthCheck(path: string): boolean {
  return HEALTH.test(path);
}

/** How often a header is in a request: Node hands on the first of several hosts. */
function timesGiven({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}

function hostProblem(verdict: HostVerdict, isKnown: () => boolean): Refusal | null {
  if (verdict === 'malformed') return { status: 400, reason: 'the Host header is not a host' };
  if (verdict === 'foreign' && !isKnown()) {
    return {
      status: 421,
      reason: 'this host is not served here: PUBLIC_URL and SHORT_URL name those that are',
    };
  }
  return null;
}

/**
 * What is wrong with the target, if anything. One in absolute form, as proxies are asked, becomes a path, and its host
 * that of the request (RFC 9112, section 3.2.2).
 */
function targetProblem(request: IncomingMessage): string | null {
  const { url = '' } = request;
  if (url.startsWith('/')) {
    return /^[^?]*\\/.test(url) ? 'a path has no backslashes' : null;
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return 'the target of the request is not a path';
  const { username, password, host, pathname, search } = new URL(url);
  if (username !== '' || password !== '')
    return 'an address with a name or a password in it is not asked for';
  request.url = pathname + search;
  request.headers.host = host;
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = host;
  }
  return null;
}

/** Without the query, which may hold a secret, and without what may stand before a path. */
function pathOf(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : (url.split('?')[0] ?? '');
  return path.slice(0, LONGEST_PATH);
}

/** What is not HTTP at all has no request; its connection ends with the answer. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Duplex, log: GuardOptions['log']): void {
  const status = PARSER_STATUS[error.code ?? ''] ?? '400 Bad Request';
  if (error.code !== 'ECONNRESET') {
    log.info({ status: Number.parseInt(status, 10), reason: error.code }, 'refused');
  }
  const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || begun?.headersSent || error.code === 'ECONNRESET') return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
