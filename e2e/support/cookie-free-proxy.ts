import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A forward proxy that strips cookies in both directions. */
export async function startCookieFreeProxy() {
  const server = createServer((incoming, outgoing) => {
    const { cookie: _cookie, ...headers } = incoming.headers;
    const upstream = request(incoming.url ?? '', { method: incoming.method, headers }, (answer) => {
      const { 'set-cookie': _setCookie, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 500, kept);
      answer.pipe(outgoing);
    });
    upstream.once('error', () => incoming.socket.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
