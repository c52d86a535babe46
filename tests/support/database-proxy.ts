import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to a PostgreSQL server until it is told to break them. */
export async function openDatabaseProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isBreaking = (_: Buffer): boolean => false;
  let isHanging = false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (bytes) => {
      if (isBreaking(bytes)) client.destroy();
      else if (!isHanging) upstream.write(bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    /** Breaks every connection over which a message with this text is sent; none without a text. */
    breakAt: (text: string | null) => {
      isBreaking = text === null ? () => false : (bytes) => bytes.includes(text);
    },
    /** Takes what is sent and passes nothing on: nobody gets an answer. */
    hang: (isOn: boolean) => {
      isHanging = isOn;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
