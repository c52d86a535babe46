import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends these very bytes to a port of this machine; answers what comes back until the other side closes or is done. */
export async function askRaw(port: number, ...lines: string[]): Promise<{ status: number; head: string }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  await once(socket, 'close');
  const [head = ''] = answer.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head };
}

/** Asks whether it may send a body of so many bytes, which it never does; answers the status that comes back first. */
export async function askToSend(
  port: number,
  target: string,
  bytes: number,
  ...headers: string[]
): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const asked = [`POST ${target} HTTP/1.1`, 'Host: localhost', ...headers];
  socket.write(`${[...asked, 'Expect: 100-continue', `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(first.toString('latin1'))?.[1]);
}
