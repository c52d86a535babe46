import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Pool } from 'undici';
import { formBytesLimit } from '#contract/form-sizes';
import { VISIT_RESENT_HEADER } from '#contract/internal-key';
import { guardServer } from '#contract/server-guard';
import { headersFor, type ProxyHeaders, requestIdOf } from './forwarded-headers';
import { hasBody, type Relayed, relay } from './relay';
import { type Destination, destinationOf, isPrivatePath } from './routing';
import { unavailablePage } from './unavailable-page';

export interface GatewaySettings extends ProxyHeaders {
  /** Where it listens; port 0 takes a free one, no address takes all of them. */
  port: number;
  address?: string | undefined;
  websiteUrl: string;
  hostUrl: string;
  /** Name of the product, for the page that says it is away. */
  appName: string;
  /** Under which it is reached, beside loopback. */
  addresses: readonly string[];
  /** Whether HSTS covers their subdomains. */
  hstsSubdomains: boolean;
  log: Logger;
}

export interface Gateway {
  port: number;
  /**
   * Answers the health checks with 503 for `drainMs`, so that a load balancer sends no more, then takes no more
   * connections; resolves when everything under way is answered, or cut off after 4 seconds.
   */
  close(drainMs: number): Promise<void>;
}

/** A program that is started again listens within this time; until then what can be sent again is. */
const RESTART_MS = 4_000;
const RETRY_MS = 100;
/** The website says within 5 seconds that the host does not answer; pages and files it makes itself take longer. */
const HOST_ANSWER_MS = 4_500;
const WEBSITE_ANSWER_MS = 60_000;
const CONNECT_MS = 2_000;
const HOST_CONNECTIONS = 256;
/** How often connections are looked through for requests that take too long to arrive. */
const CHECK_MS = 5_000;
const LAST_ANSWERS_MS = 4_000;
const HEALTH = /^\/(?:livez|readyz)(?:\?|$)/;

/**
 * The one port of the product. Requests of codes go straight to the host, so that a slow or stopped website holds up no
 * scan; everything else goes to the website. Neither is needed for the other's requests.
 */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const host = new Pool(new URL(settings.hostUrl).origin, {
    connections: HOST_CONNECTIONS,
    headersTimeout: HOST_ANSWER_MS,
    connect: { timeout: CONNECT_MS },
  });
  // As many connections as there are requests: live figures hold theirs for as long as somebody looks.
  const website = new Pool(new URL(settings.websiteUrl).origin, {
    headersTimeout: WEBSITE_ANSWER_MS,
    bodyTimeout: 0,
  });
  let isDraining = false;

  const server = createServer({ connectionsCheckingInterval: CHECK_MS }, (request, response) => {
    if (isDraining) {
      response.shouldKeepAlive = false;
      if (HEALTH.test(request.url ?? '')) return void response.writeHead(503).end();
    }
    if (isPrivatePath(request.url ?? '')) return void response.writeHead(404).end();
    const destination = destinationOf(request);
    if (destination === 'website') askWebsite(request, response, request.url ?? '/');
    else askHost(request, response, destination);
  });
  guardServer(server, {
    addresses: settings.addresses,
    internalKeys: settings.internalKeys,
    includeSubDomains: settings.hstsSubdomains,
    log: settings.log,
    mostBytes: formBytesLimit,
  });
  server.keepAliveTimeout = 65_000;
  server.headersTimeout = 66_000;
  // The website's own limit: the largest logo over a slow line.
  server.requestTimeout = 120_000;

  async function askHost(
    request: IncomingMessage,
    response: ServerResponse,
    destination: Exclude<Destination, 'website'>,
  ): Promise<void> {
    const path = request.url ?? '/';
    const options = {
      headers: headersFor(destination, request, settings),
      // The host reads none of what a visit, an act or a report may bring along.
      isBodiless: true,
      // The result of an act is JSON; the website says in the visitor's language what went wrong with it.
      isRefused: (status: number) => destination === 'act' && status >= 400,
      answerMs: HOST_ANSWER_MS,
    };
    const again = destination === 'visit' ? [VISIT_RESENT_HEADER, '1'] : [];
    const outcome = await relayPersistently(request, response, host, path, options, again);
    if (outcome.kind === 'answered') return;
    if (destination === 'beacon') return answerBeacon(response);
    const isSilent = outcome.kind === 'failed';
    const page = outcome.kind === 'redirected' ? outcome.path : path;
    askWebsite(request, response, page, isSilent ? { 'x-host-unavailable': '1' } : {});
  }

  async function askWebsite(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    extra: Record<string, string> = {},
  ): Promise<void> {
    const headers = [...headersFor('website', request, settings), ...Object.entries(extra).flat()];
    const outcome = await relayPersistently(request, response, website, path, { headers });
    if (outcome.kind === 'failed') answerUnavailable(request, response, outcome.isBadRequest);
  }

  /**
   * Sends again, while a program is being started again, what has no body and was not answered; with the headers `again`
   * from the second time on.
   */
  async function relayPersistently(
    request: IncomingMessage,
    response: ServerResponse,
    pool: Pool,
    path: string,
    options: Parameters<typeof relay>[4],
    again: string[] = [],
  ): Promise<Relayed> {
    const until = performance.now() + RESTART_MS;
    for (let { headers } = options; ; headers = [...options.headers, ...again]) {
      const outcome = await relay(request, response, pool, path, { ...options, headers });
      if (outcome.kind !== 'failed' || !outcome.isDisconnected) return outcome;
      if (hasBody(request) || response.destroyed || performance.now() > until) return outcome;
      await delay(RETRY_MS);
    }
  }

  function answerUnavailable(
    request: IncomingMessage,
    response: ServerResponse,
    isBadRequest: boolean,
  ): void {
    if (response.destroyed) return;
    if (response.headersSent) return void response.destroy();
    if (isBadRequest) {
      const { method, url = '' } = request;
      settings.log.info(
        { method, path: url.split('?')[0], status: 400, reason: 'cannot be passed on' },
        'refused',
      );
      return void response.writeHead(400, { 'Cache-Control': 'no-store' }).end();
    }
    const { status, headers, body } = unavailablePage(request, settings.appName);
    response.setHeader('X-Request-Id', requestIdOf(request));
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  }

  server.listen(settings.port, settings.address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close(drainMs) {
      isDraining = true;
      await delay(drainMs);
      const closed = once(server, 'close');
      server.close();
      const forceClose = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
      await closed;
      clearTimeout(forceClose);
      await Promise.all([host.destroy(), website.destroy()]);
    },
  };
}

/** Sites that call a beacon get the answers that the host would give them. */
function answerBeacon(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'Retry-After': '30' };
  response.writeHead(503, headers).end();
}
