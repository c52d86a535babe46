import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import pino from 'pino';
import { createProxyCheck } from '#runtime/client-address';
import { type Gateway, type GatewaySettings, startGateway } from '#runtime/gateway/gateway';
import { createTestHost } from '../../support/host';
import { INTERNAL_KEYS } from '../../support/internal-key';

/** The second is one that was replaced. */
export const SESSION_SECRETS = ['s'.repeat(32), 'o'.repeat(32)];

export type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

const SETTINGS = {
  port: 0,
  address: '127.0.0.1',
  isProxy: createProxyCheck(),
  trustProxy: null,
  countryHeader: null,
  appName: 'Quadrille',
  addresses: [],
  internalKeys: INTERNAL_KEYS,
  sessionSecrets: SESSION_SECRETS,
  hstsSubdomains: true,
  log: pino({ level: 'silent' }),
};

/** The real host behind a socket, and gateways in front of it and of websites that the tests define. */
export async function serveBehindGateways() {
  const host = await createTestHost();
  const account = await host.account();
  const hostServer = serve({ fetch: host.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await once(hostServer, 'listening');
  const cleanups: (() => unknown)[] = [];

  /** Closes a server, and the connections that are still open, when the test ends. */
  function closeLater(server: Server): void {
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  /** Opens a gateway in front of the real host and a website with the handler `website`. */
  async function open({
    website,
    ...settings
  }: { website: Handler | typeof held } & Partial<GatewaySettings>) {
    const release = createRelease();
    const handler = website === held ? release.handler : (website as Handler);
    const server = createServer(handler).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closeLater(server);
    const gateway: Gateway = await startGateway({
      ...SETTINGS,
      websiteUrl: urlOf(server),
      hostUrl: urlOf(hostServer),
      ...settings,
    });
    const closeAtEnd = () => gateway.close(0);
    cleanups.push(closeAtEnd);
    const close = (drainMs: number) => {
      cleanups.splice(cleanups.indexOf(closeAtEnd), 1);
      return gateway.close(drainMs);
    };
    return { url: `http://127.0.0.1:${gateway.port}`, gateway: { ...gateway, close }, release };
  }

  return {
    host,
    account,
    open,
    closeLater,
    /** Closes what the test opened. */
    clean: async () => {
      for (const clean of cleanups.splice(0).reverse()) await clean();
    },
    close: async () => {
      hostServer.closeAllConnections();
      hostServer.close();
      await host.close();
    },
  };
}

/** The handler of a website that responds when the test releases it. */
export const held = Symbol('held');

function createRelease() {
  let now = () => {};
  let onHeld = () => {};
  const released = new Promise<void>((resolve) => {
    now = resolve;
  });
  const isHeld = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  const handler: Handler = (_, response) => {
    onHeld();
    released.then(() => response.end('ok'));
  };
  return { handler, isHeld, now: () => now() };
}

export const hanging: Handler = () => undefined;

export const echo: Handler = ({ method, url, headers }, response) => {
  response.end(JSON.stringify({ method, url, headers }));
};

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

export function ask(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('error', reject).on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject).end(body);
  });
}

export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
