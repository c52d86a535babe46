import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOST_PORT } from './ports';

type Fault = 'none' | 'refuses' | 'loses-answers';

/**
 * A proxy before the host that can fail one call, such as `POST /api/qrcodes`: it `refuses` with a 500, or passes the
 * call on and `loses-answers`. Everything else passes.
 */
export async function startFailingHost(call: string) {
  let fault: Fault = 'none';
  const server = createServer((asked, answer) => {
    const isMeant = `${asked.method} ${asked.url}` === call;
    if (isMeant && fault === 'refuses') {
      asked.resume();
      answer.writeHead(500, { 'Content-Type': 'application/json' }).end('{"message":"","status":"error"}');
      return;
    }
    pass(asked, answer, isMeant && fault === 'loses-answers');
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

function pass(asked: IncomingMessage, answer: ServerResponse, isLost: boolean): void {
  const { method, url, headers } = asked;
  const onward = request({ port: HOST_PORT, host: '127.0.0.1', method, path: url, headers }, (given) => {
    if (isLost) {
      given.resume();
      given.once('end', () => asked.socket.destroy());
      return;
    }
    answer.writeHead(given.statusCode ?? 500, given.headers);
    given.pipe(answer);
  });
  onward.once('error', () => asked.socket.destroy());
  asked.pipe(onward);
}
