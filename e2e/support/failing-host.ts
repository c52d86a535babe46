import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOST_PORT } from './ports';

type Fault = 'none' | 'refuses' | 'loses-answers';

/**
 * A reverse proxy in front of the host that can break one call, such as `POST /api/qrcodes`: `refuses`
 * responds with a 500, `loses-answers` forwards the call and drops the response. All other calls are
 * forwarded unchanged.
 */
export async function startFailingHost(call: string) {
  let fault: Fault = 'none';
  const server = createServer((incoming, outgoing) => {
    const isTarget = `${incoming.method} ${incoming.url}` === call;
    if (isTarget && fault === 'refuses') {
      incoming.resume();
      outgoing.writeHead(500, { 'Content-Type': 'application/json' }).end('{"message":"","status":"error"}');
      return;
    }
    forward(incoming, outgoing, isTarget && fault === 'loses-answers');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail(next: Fault) {
      fault = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean): void {
  const { method, url, headers } = incoming;
  const upstream = request({ port: HOST_PORT, host: '127.0.0.1', method, path: url, headers }, (response) => {
    if (isLost) {
      response.resume();
      response.once('end', () => incoming.socket.destroy());
      return;
    }
    outgoing.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(outgoing);
  });
  upstream.once('error', () => incoming.socket.destroy());
  incoming.pipe(upstream);
}
