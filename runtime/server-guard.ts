import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createDomainCheck, createHostCheck, type HostVerdict } from '#contract/own-addresses';
import { createProxyCheck, resolveClientIp, type TrustedSenders } from './client-address';
import { ClientLimits } from './client-limits';
import { INTERNAL_KEY_HEADER, isInternalKey } from './internal-key';
import {
  codingProblem,
  headerOf,
  isCodePath,
  LONGEST_PATH,
  loggedPath,
  pathOf,
  targetProblem,
  timesGiven,
} from './request-target';

interface GuardOptions {
  /** Addresses at which the program is reached, besides loopback; the website's is the first. */
  addresses: readonly string[];
  /** Address of a short domain for codes: it serves nothing else, unless it is one of the `addresses`. */
  shortUrl?: string | undefined;
  /** A request with one of these may use any Host: website and gateway call a host by its own address. */
  internalKeys: readonly string[];
  /** Whether HSTS covers the subdomains. */
  includeSubDomains: boolean;
  log: { info(entry: object, message: string): void };
  /** The proxies, and the header in which they name the client; by default the peer is the client. */
  proxies?: Pick<TrustedSenders, 'isProxy' | 'trustProxy'>;
  /** Called for each request when its turn comes, before it is checked. */
  prepare?: (request: IncomingMessage, response: ServerResponse) => void;
  /** A further check of this program's own. */
  problemOf?: (request: IncomingMessage) => Refusal | null;
  /** Body limit of a path in bytes, if lower than the general limit. */
  maxBytes?: (path: string) => number;
}

export interface Refusal {
  status: 302 | 400 | 404 | 405 | 413 | 417 | 421 | 429 | 431;
  reason: string;
  /** Of a redirect. */
  location?: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const HEALTH = /^\/(?:livez|readyz|healthz)(?:\?|$)/;
const TWO_YEARS = 63_072_000;
const TOO_MANY: Refusal = { status: 429, reason: 'too many requests of this client at the same time' };
/** Browsers send some 20, proxies add a few. */
const MAX_HEADERS = 200;
/** Twice the largest form; each call and form has a lower limit of its own. */
const LARGEST_BODY_BYTES = 16 * 1024 * 1024;
/** Of the header, and of the request with its body: enough for the largest logo at 150 kbit/s. */
const HEADERS_MS = 20_000;
const REQUEST_MS = 120_000;
/** For the next request of a connection: longer than proxies keep connections, so that they close them first. */
const KEEP_ALIVE_MS = 65_000;
const LINGER_MS = 2_000;
/** Without a byte in either direction: longer than the response that begins last takes, a sheet to be printed. */
const SILENCE_MS = 310_000;
/** The responses that Node itself sends to requests it cannot parse. */
const PARSER_STATUS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Refuses what no handler of `server` should see: a foreign Host (421), a malformed Host or target (400), an unknown
 * method (405), too many header lines (431), and a body over the limit if its sender asks before sending it (413). Each
 * refusal is logged. Every response at an address with TLS carries HSTS. Requests are limited in time, and each client in
 * the number of its connections and requests (429).
 */
export function guardServer(server: Server, options: GuardOptions): void {
  const { addresses: others, shortUrl, internalKeys, log } = options;
  const addresses = shortUrl === undefined ? others : [...others, shortUrl];
  const judge = createHostCheck(addresses);
  const isShortDomain = createDomainCheck(shortUrl, others);
  const hsts = `max-age=${TWO_YEARS}${options.includeSubDomains ? '; includeSubDomains' : ''}`;
  const { proxies = { isProxy: createProxyCheck(), trustProxy: null } } = options;
  const handlers = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  server.removeAllListeners('request');
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = SILENCE_MS;
  // Node would drop the rest of more than 2,000 lines, and with them what a proxy appended.
  server.maxHeadersCount = 0;
  const limits = new ClientLimits({
    isProxy: proxies.isProxy,
    clientIpOf: (request) =>
      resolveClientIp(request.socket.remoteAddress ?? '', (name) => headerOf(request, name), {
        ...proxies,
        internalKeys: [],
        countryHeader: null,
      }),
    isOwn: (request) => isInternalKey(headerOf(request, INTERNAL_KEY_HEADER), internalKeys),
    onFlood: () => log.info({ reason: 'too many requests before the first response' }, 'connection closed'),
  });
  server.on('connection', (socket) => limits.connect(socket));
  const handle = (request: IncomingMessage, response: ServerResponse, refusal: Refusal | null) => {
    if (refusal) return refuse(request, response, refusal);
    const begin = () => {
      for (const handler of handlers) handler.call(server, request, response);
    };
    limits.whenFree(request, begin, () => refuse(request, response, TOO_MANY));
  };
  const onRequest = (
    event: string,
    begin: (request: IncomingMessage, response: ServerResponse, refusal: Refusal | null) => void,
  ) => {
    server.on(event, (request: IncomingMessage, response: ServerResponse) =>
      limits.inTurn(request, response, () => {
        options.prepare?.(request, response);
        begin(request, response, refusalOf(request, response));
      }),
    );
  };
  onRequest('request', handle);
  // RFC 9110, section 10.1.1: a client that asks before sending a body is refused before it sends it.
  onRequest('checkContinue', (request, response, refusal) => {
    const problem = refusal ?? bodyProblem(request);
    if (!problem) continueWhenRead(request, response);
    handle(request, response, problem);
  });
  onRequest('checkExpectation', (request, response, refusal) =>
    refuse(request, response, refusal ?? { status: 417, reason: 'the expectation is not supported' }),
  );
  // Such a request names no Host, so this relies on all addresses having TLS.
  const hasTls = addresses.length > 0 && addresses.every((one) => one.startsWith('https:'));
  const tlsHeader = hasTls ? `Strict-Transport-Security: ${hsts}\r\n` : '';
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseUnparsed(error, socket, { log, tlsHeader }),
  );

  function refusalOf(request: IncomingMessage, response: ServerResponse): Refusal | null {
    judgeHost(request, response);
    const isKnown = () => isInternalKey(headerOf(request, INTERNAL_KEY_HEADER), internalKeys);
    // The gateway adds a few of its own.
    if (request.rawHeaders.length > 2 * MAX_HEADERS && !isKnown())
      return { status: 431, reason: 'there are too many header lines' };
    if (!METHODS.has(request.method ?? '')) return { status: 405, reason: 'the method is not supported' };
    const malformed = targetProblem(request) ?? codingProblem(request);
    if (malformed) return { status: 400, reason: malformed };
    if (timesGiven(request, 'host') > 1) return { status: 400, reason: 'there are several Host headers' };
    const isHealth = isHealthCheck(request.url ?? '');
    const { host } = request.headers;
    if (host === undefined) {
      if (!isHealth) return { status: 400, reason: 'the request has no Host header' };
      request.headers.host = 'localhost';
    }
    const verdict = judgeHost(request, response);
    const mayUseAnyHost = () => isHealth || isKnown();
    return (
      hostProblem(verdict, mayUseAnyHost) ??
      forwardedProblem(request, mayUseAnyHost) ??
      shortDomainProblem(request, mayUseAnyHost) ??
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

  /** On the short domain everything but codes is to be found on the website. */
  function shortDomainProblem(request: IncomingMessage, isAllowed: () => boolean): Refusal | null {
    const { method, url = '', headers } = request;
    if (isCodePath(url) || !isShortDomain(headers.host ?? '') || isAllowed()) return null;
    const reason = 'only codes are served on the short domain';
    return method === 'GET' || method === 'HEAD'
      ? { status: 302, reason, location: `${others[0]}${url}` }
      : { status: 404, reason };
  }

  function bodyProblem({ headers, url = '' }: IncomingMessage): Refusal | null {
    const most = options.maxBytes?.(pathOf(url)) ?? LARGEST_BODY_BYTES;
    if (Number(headers['content-length'] ?? 0) <= most) return null;
    return { status: 413, reason: 'the body is larger than the limit of this path' };
  }

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { status, reason, location } = refusal;
    const { method, url = '', headers } = request;
    const path = loggedPath(pathOf(url));
    log.info({ method, path, status, reason, host: headers.host?.slice(0, LONGEST_PATH) }, 'refused');
    // The rest of a refused request is not read.
    response.shouldKeepAlive = false;
    response.writeHead(status, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 405 && { Allow: [...METHODS].join(', ') }),
      ...(location !== undefined && { Location: location }),
      ...(status === 429 && { 'Retry-After': '1' }),
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
  // The client has this long to close its side.
  (socket as Socket).setTimeout(LINGER_MS);
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n${tlsHeader}Content-Length: 0\r\n\r\n`);
}
