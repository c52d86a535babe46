import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends raw request lines to a local port; returns the response once the server closes. */
export async function sendRaw(
  port: number,
  ...lines: string[]
): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let response = '';
  socket.on('data', (bytes) => {
    response += bytes.toString('latin1');
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  await once(socket, 'close');
  const [head = '', body = ''] = response.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body };
}

/** Announces a body with `Expect: 100-continue` but never sends it; returns the first response's status. */
export async function sendExpectContinue(
  port: number,
  target: string,
  bytes: number,
  ...headers: string[]
): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const head = [`POST ${target} HTTP/1.1`, 'Host: localhost', ...headers];
  socket.write(`${[...head, 'Expect: 100-continue', `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(first.toString('latin1'))?.[1]);
}
