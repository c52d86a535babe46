import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Pool } from 'undici';
import type { TrustedSenders } from '#runtime/client-address';
import { VISIT_RESENT_HEADER } from '#runtime/internal-key';
import { networksOf } from '#runtime/ip-rate-limit-key';
import { formBytesLimit } from '#runtime/request-bodies';
import { loggedPath, pathOf } from '#runtime/request-target';
import { guardServer, isHealthCheck } from '#runtime/server-guard';
import { assignRequestId, buildHeaders, clientIpOf } from './forwarded-headers';
import { type Failure, hasBody, type Relayed, relay } from './relay';
import {
  type Destination,
  destinationOf,
  isForBrowsers,
  isOfProgram,
  isPrivatePath,
  mayBeVisit,
  websiteTimeoutOf,
} from './routing';
import { createCredentialsReader } from './signed-cookies';
import { callRefusal, unavailablePage } from './unavailable-page';
import { type Leave, WebsiteQueue } from './website-queue';

export interface GatewaySettings extends TrustedSenders {
  /** Where it listens; port 0 picks a free one, no address binds all. */
  port: number;
  address?: string | undefined;
  websiteUrl: string;
  hostUrl: string;
  /** Name of the product, for the page shown while the website is down. */
  appName: string;
  /** The URLs under which it is reached, besides loopback. */
  addresses: readonly string[];
  /** A short domain for codes. */
  shortUrl?: string | undefined;
  /** That the website signs cookies with. */
  sessionSecrets: readonly string[];
  /** Whether HSTS covers their subdomains. */
  hstsSubdomains: boolean;
  log: Logger;
}

export interface Gateway {
  port: number;
  /**
   * Fails the health checks with 503 for `drainMs`, so that load balancers stop sending requests, then accepts no more
   * connections; resolves when pending requests are completed, or cut off after 4 seconds.
   */
  close(drainMs: number): Promise<void>;
}

/** A restarted program listens within this time; until then requests are retried if possible. */
const RESTART_MS = 4_000;
const RETRY_MS = 100;
/** A request whose connection broke may be what broke the program: it is sent only once more. */
const MAX_SENT = 2;
const HOST_TIMEOUT_MS = 4_500;
/** For a call with a file, which the host reads in a process that it may have to start first. */
const CALL_TIMEOUT_MS = 20_000;
const CONNECT_MS = 2_000;
/** Between two parts of a body: live figures send something every 20 seconds. */
const WEBSITE_SILENCE_MS = 60_000;
const HOST_SILENCE_MS = 30_000;
const HOST_CONNECTIONS = 256;
/** How often connections are checked for requests that take too long to arrive. */
const CHECK_MS = 5_000;
const LAST_RESPONSES_MS = 4_000;
const HEALTH = /^\/(?:livez|readyz)(?:\?|$)/;

/**
 * The single port of the product. Requests of codes go straight to the host, so that a slow or stopped website does not
 * block scans; everything else goes to the website. Neither is needed for the other's requests.
 */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const host = new Pool(new URL(settings.hostUrl).origin, {
    connections: HOST_CONNECTIONS,
    // `relay` limits the time, including that until there is a connection.
    headersTimeout: 0,
    bodyTimeout: HOST_SILENCE_MS,
    connect: { timeout: CONNECT_MS },
  });
  // No more connections than the server has: live figures keep one open for as long as a page is shown.
  const website = new Pool(new URL(settings.websiteUrl).origin, { bodyTimeout: WEBSITE_SILENCE_MS });
  const queue = new WebsiteQueue();
  const credentialsOf = createCredentialsReader(settings.addresses[0] ?? '', settings.sessionSecrets);
  let isDraining = false;

  const server = createServer({ connectionsCheckingInterval: CHECK_MS }, (request, response) => {
    if (isDraining) {
      response.shouldKeepAlive = false;
      if (HEALTH.test(request.url ?? '')) return void response.writeHead(503).end();
    }
    const destination = destinationOf(request);
    if (destination === 'api' || destination === 'oauth') forwardCall(request, response, destination);
    else if (destination !== 'website') forwardToHost(request, response, destination);
    else if (isPrivatePath(request.url ?? '')) response.writeHead(404).end();
    else forwardToWebsite(request, response, request.url ?? '/');
  });
  guardServer(server, {
    addresses: settings.addresses,
    shortUrl: settings.shortUrl,
    proxies: settings,
    internalKeys: settings.internalKeys,
    includeSubDomains: settings.hstsSubdomains,
    log: settings.log,
    maxBytes: formBytesLimit,
  });

  async function forwardToHost(
    request: IncomingMessage,
    response: ServerResponse,
    destination: Exclude<Destination, 'website' | 'api' | 'oauth'>,
  ): Promise<void> {
    const path = request.url ?? '/';
    const options = {
      headers: buildHeaders(destination, request, settings),
      // The host does not read the body of a visit, an act or a report.
      isBodiless: true,
      // The result of an act is JSON; errors are shown by the website, in the visitor's language.
      isRefused: (status: number) => destination === 'act' && status >= 400,
      responseMs: HOST_TIMEOUT_MS,
    };
    const retryHeaders = destination === 'visit' ? [VISIT_RESENT_HEADER, '1'] : [];
    const outcome = await relayWithRetries(request, response, host, path, options, retryHeaders);
    if (outcome.kind === 'responded') return;
    if (destination === 'beacon') return respondToBeacon(response);
    const isSilent = outcome.kind === 'failed';
    const page = outcome.kind === 'redirected' ? outcome.path : path;
    forwardToWebsite(request, response, page, isSilent ? { 'x-host-unavailable': '1' } : {});
  }

  async function forwardCall(
    request: IncomingMessage,
    response: ServerResponse,
    destination: 'api' | 'oauth',
  ): Promise<void> {
    const { url = '/' } = request;
    // The host would end the connection before all is sent, and its response could get lost.
    if (Number(request.headers['content-length'] ?? 0) > formBytesLimit(url.split('?')[0] ?? '')) {
      request.resume();
      return refuseCall(request, response, 'too_large');
    }
    const options = {
      headers: buildHeaders(destination, request, settings),
      headersTimeout: CALL_TIMEOUT_MS,
    };
    const outcome = await relayWithRetries(request, response, host, url, options);
    if (outcome.kind === 'responded' || response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    if (outcome.kind === 'failed' && isForBrowsers(url))
      return respondUnavailable(request, response, outcome.reason);
    const isMalformed = outcome.kind === 'failed' && outcome.reason === 'malformed';
    refuseCall(request, response, isMalformed ? 'malformed' : 'unavailable');
  }

  function refuseCall(
    request: IncomingMessage,
    response: ServerResponse,
    code: Parameters<typeof callRefusal>[0],
  ): void {
    const requestId = assignRequestId(request);
    const { status, headers, body } = callRefusal(code, {
      publicUrl: settings.addresses[0] ?? '',
      requestId,
      isOauth: destinationOf(request) === 'oauth',
    });
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  }

  async function forwardToWebsite(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    extraHeaders: Record<string, string> = {},
  ): Promise<void> {
    const leave = await turnOf(request, response);
    if (!leave) return respondUnavailable(request, response, 'busy');
    const headers = [...buildHeaders('website', request, settings), ...Object.entries(extraHeaders).flat()];
    const options = { headers, headersTimeout: websiteTimeoutOf(path), onBegin: leave };
    const outcome = await relayWithRetries(request, response, website, path, options);
    leave();
    if (outcome.kind === 'failed') respondUnavailable(request, response, outcome.reason);
  }

  /** Our own machines and health checks do not wait. */
  async function turnOf(request: IncomingMessage, response: ServerResponse): Promise<Leave | null> {
    const { url = '' } = request;
    const ip = clientIpOf(request, settings);
    if (settings.isProxy(ip) || isHealthCheck(url)) return () => undefined;
    const sender = { ...credentialsOf(request), networks: networksOf(ip), isVisit: mayBeVisit(url) };
    return queue.enter(request, response, sender);
  }

  /**
   * Waits for a program that restarts, with requests that have no body. One that may have had an effect is not sent twice;
   * others are, with the headers `retryHeaders` from the second attempt on.
   */
  async function relayWithRetries(
    request: IncomingMessage,
    response: ServerResponse,
    pool: Pool,
    path: string,
    options: Parameters<typeof relay>[4],
    retryHeaders: string[] = [],
  ): Promise<Relayed> {
    const until = performance.now() + RESTART_MS;
    const maxSent = request.method === 'GET' || request.method === 'HEAD' ? MAX_SENT : 1;
    let sent = 0;
    for (let { headers } = options; ; headers = [...options.headers, ...retryHeaders]) {
      const outcome = await relay(request, response, pool, path, { ...options, headers });
      if (outcome.kind !== 'failed' || hasBody(request)) return outcome;
      if (outcome.reason === 'broken') sent += 1;
      else if (outcome.reason !== 'unsent') return outcome;
      if (sent >= maxSent || response.destroyed || performance.now() > until) return outcome;
      await delay(RETRY_MS);
    }
  }

  function respondUnavailable(
    request: IncomingMessage,
    response: ServerResponse,
    reason: Failure | 'busy',
  ): void {
    if (response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    const logRefusal = (status: number, why: string) => {
      const { method, url = '' } = request;
      settings.log.info({ method, path: loggedPath(pathOf(url)), status, reason: why }, 'refused');
    };
    if (reason === 'busy') logRefusal(503, 'too many requests wait for the website');
    if (reason === 'malformed') {
      logRefusal(400, 'the request cannot be forwarded');
      return void response.writeHead(400, { 'Cache-Control': 'no-store' }).end();
    }
    if (isOfProgram(request.url ?? '')) return void refuseCall(request, response, 'unavailable');
    const { status, headers, body } = unavailablePage(request, settings.appName);
    response.setHeader('X-Request-Id', assignRequestId(request));
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  }

  server.listen(settings.port, settings.address);
  await once(server, 'listening');
  settings.log.info(server.address(), 'gateway listens');
  return {
    port: (server.address() as AddressInfo).port,
    async close(drainMs) {
      isDraining = true;
      await delay(drainMs);
      const closed = once(server, 'close');
      server.close();
      const forceClose = setTimeout(() => server.closeAllConnections(), LAST_RESPONSES_MS);
      await closed;
      clearTimeout(forceClose);
      await Promise.all([host.destroy(), website.destroy()]);
    },
  };
}

/** Sites that call a beacon get the same response as from the host. */
function respondToBeacon(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'Retry-After': '30' };
  response.writeHead(503, headers).end();
}
