import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';

type Fetch = (request: Request) => Promise<Response>;

let server: ServerType | undefined;
let port = 0;
let respond: Fetch | undefined;

/** Address of the host of this process's test websites: always the same, because the website reads it only once. */
export async function hostAddress(): Promise<string> {
  await startHostServer();
  return `http://127.0.0.1:${port}`;
}

/** Answers requests to that address from now on; without `fetch`, with 503. */
export function answerAsHost(fetch: Fetch | undefined): void {
  respond = fetch;
}

export async function startHostServer(): Promise<void> {
  if (server) return;
  const answer: Fetch = async (request) => respond?.(request) ?? new Response(null, { status: 503 });
  server = serve({ fetch: answer, port, hostname: '127.0.0.1' });
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  server.unref();
}

/** Also ends the connections that are open. */
export async function stopHostServer(): Promise<void> {
  if (!server) return;
  const closed = once(server, 'close');
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
  server = undefined;
  await closed;
}
