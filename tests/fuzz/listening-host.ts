import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { guardServer } from '#runtime/server-guard';
import { createTestHost, type TestHost } from '../support/host';
import { INTERNAL_KEYS } from '../support/internal-key';

export interface ListeningHost {
  host: TestHost;
  port: number;
  close(): Promise<void>;
}

/** Starts a real, guarded host behind a socket. */
export async function listen(): Promise<ListeningHost> {
  const host = await createTestHost();
  const server = serve({ fetch: host.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  const { publicUrl, shortUrl } = host.deps.settings;
  guardServer(server, {
    addresses: [publicUrl, shortUrl],
    internalKeys: INTERNAL_KEYS,
    includeSubDomains: false,
    log: host.deps.log,
  });
  await once(server, 'listening');
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await host.close();
    },
  };
}
