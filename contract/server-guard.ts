import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { INTERNAL_KEY_HEADER, isInternalKey } from './internal-key';
import { createHostCheck, type HostVerdict } from './own-addresses';

interface GuardOptions {
  /** Addresses at which the program is reached, besides loopback. */
  addresses: readonly string[];
  /** A request with one of these may use any Host: website and gateway call a host by its own address. */
  internalKeys: readonly string[];
  /** Whether HSTS covers the subdomains. */
  includeSubDomains: boolean;
  log: { info(entry: object, message: string): void };
  /** A further check of this program's own. */
  problemOf?: (request: IncomingMessage) => Refusal | null;
  /** Body limit of a path in bytes, if lower than the general limit. */
  mostBytes?: (path: string) => number;
}

export interface Refusal {
  status: 400 | 405 | 413 | 421;
  reason: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const HEALTH = /^\/(?:livez|readyz|healthz)(?:\?|$)/;
const TWO_YEARS = 63_072_000;
const LONGEST_PATH = 200;
/** Twice the largest form; each call and form has a lower limit of its own. */
const LARGEST_BODY_BYTES = 16 * 1024 * 1024;
/** The responses that Node itself sends to requests it cannot parse. */
const PARSER_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Refuses what no handler of `server` should see: a foreign Host (421), a malformed Host or target (400), an unknown
 * method (405), and a body over the limit if its sender asks before sending it (413). Each refusal is logged. Every
 * response at an address with TLS carries HSTS.
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
  // RFC 9110, section 10.1.1: a client that asks before sending a body is refused before it sends it.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusalOf(request, response) ?? bodyProblem(request);
    if (refusal) return refuse(request, response, refusal);
    continueWhenRead(request, response);
    for (const handle of handlers) handle.call(server, request, response);
  });
  // Such a request names no Host, so this relies on all addresses having TLS.
  const hasTls = options.addresses.length > 0 && options.addresses.every((one) => one.startsWith('https:'));
  const tlsHeader = hasTls ? `Strict-Transport-Security: ${hsts}\r\n` : '';
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseUnparsed(error, socket, { log, tlsHeader }),
  );

  function refusalOf(request: IncomingMessage, response: ServerResponse): Refusal | null {
    judgeHost(request, response);
    if (!METHODS.has(request.method ?? '')) return { status: 405, reason: 'the method is not supported' };
    const target = targetProblem(request);
    if (target) return { status: 400, reason: target };
    if (timesGiven(request, 'host') > 1) return { status: 400, reason: 'there are several Host headers' };
    const isHealth = isHealthCheck(request.url ?? '');
    const { host } = request.headers;
    if (host === undefined) {
      if (!isHealth) return { status: 400, reason: 'the request has no Host header' };
      request.headers.host = 'localhost';
    }
    const verdict = judgeHost(request, response);
    const isKnown = () =>
      isHealth || isInternalKey(request.headers[INTERNAL_KEY_HEADER] as string, internalKeys);
    return (
      hostProblem(verdict, isKnown) ??
      forwardedProblem(request, isKnown) ??
      options.problemOf?.(request) ??
      null
    );
  }

  /** Checks the Host header; responses at an address with TLS carry HSTS, refusals too. */
  function judgeHost({ headers }: IncomingMessage, response: ServerResponse): HostVerdict {
    const verdict = judge(headers.host ?? '');
    if (verdict === 'own-https') response.setHeader('Strict-Transport-Security', hsts);
    else response.removeHeader('Strict-Transport-Security');
    return verdict;
  }

  /** X-Forwarded-Host is not trusted, but addresses are built from it: it is checked like Host. */
  function forwardedProblem({ headers }: IncomingMessage, isKnown: () => boolean): Refusal | null {
    const forwarded = headers['x-forwarded-host'];
    if (forwarded === undefined) return null;
    const verdicts = String(forwarded)
      .split(',')
      .map((host) => judge(host.trim()));
    const worst = verdicts.find((verdict) => verdict === 'malformed') ?? verdicts[0] ?? 'malformed';
    return hostProblem(worst, isKnown);
  }

  function bodyProblem({ headers, url = '' }: IncomingMessage): Refusal | null {
    const most = options.mostBytes?.(pathOf(url)) ?? LARGEST_BODY_BYTES;
    if (Number(headers['content-length'] ?? 0) <= most) return null;
    return { status: 413, reason: 'the body is larger than the limit of this path' };
  }

  function refuse(request: IncomingMessage, response: ServerResponse, { status, reason }: Refusal): void {
    const { method, url = '', headers } = request;
    const path = pathOf(url);
    log.info({ method, path, status, reason, host: headers.host?.slice(0, LONGEST_PATH) }, 'refused');
    // The rest of a refused request is not read.
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

/** Sends `100 Continue` once a handler starts reading the body, so that a body nobody reads is not sent. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read;
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) response.writeContinue();
    request._read(size);
  };
}

/** Whether a path is a health check, which load balancers request every other second, by IP address. */
export function isHealthCheck(path: string): boolean {
  return HEALTH.test(path);
}

/** How often a header occurs in a request: of several Host headers, Node keeps the first. */
function timesGiven({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}

function hostProblem(verdict: HostVerdict, isKnown: () => boolean): Refusal | null {
  if (verdict === 'malformed') return { status: 400, reason: 'the host name is malformed' };
  if (verdict === 'foreign' && !isKnown()) {
    return {
      status: 421,
      reason: 'this host is not served here; PUBLIC_URL and SHORT_URL set the ones that are',
    };
  }
  return null;
}

/**
 * What is wrong with the request target, if anything. An absolute one, as sent to proxies, is reduced to its path, and
 * its host replaces the Host header (RFC 9112, section 3.2.2).
 */
function targetProblem(request: IncomingMessage): string | null {
  const { url = '' } = request;
  if (url.startsWith('/')) {
    // Once decoded, URL parsers read backslashes as slashes and drop tabs and line breaks, so that what
    // follows may become a host (https://url.spec.whatwg.org/#url-parsing).
    const isMisleading = /^[^?]*(?:\\|%5c|%0[9ad])/i.test(url);
    return isMisleading ? 'the path must not contain backslashes, tabs or line breaks' : null;
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return 'the request target is not a path';
  const { username, password, host, pathname, search } = new URL(url);
  if (username !== '' || password !== '') return 'the request target contains a user name or a password';
  request.url = pathname + search;
  request.headers.host = host;
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') rawHeaders[at + 1] = host;
  }
  return null;
}

/** The path without the query, which may hold a secret, and without the scheme and host of an absolute target. */
function pathOf(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : (url.split('?')[0] ?? '');
  return path.slice(0, LONGEST_PATH);
}

/** For invalid HTTP there is no request object: responds on the socket and closes it. */
function refuseUnparsed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { log, tlsHeader }: Pick<GuardOptions, 'log'> & { tlsHeader: string },
): void {
  const status = PARSER_STATUS[error.code ?? ''] ?? '400 Bad Request';
  if (error.code !== 'ECONNRESET') {
    log.info({ status: Number.parseInt(status, 10), reason: error.code }, 'refused');
  }
  const { _httpMessage: begun } = socket as { _httpMessage?: ServerResponse };
  if (!socket.writable || begun?.headersSent || error.code === 'ECONNRESET') return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${tlsHeader}Content-Length: 0\r\n\r\n`);
}
