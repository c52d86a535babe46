import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a PostgreSQL server until told to break them. */
export async function openDatabaseProxy(target: string) {
  const { hostname, port, searchParams } = new URL(target);
  const folder = searchParams.get('host');
  const connectToServer = () =>
    folder ? connect(`${folder}/.s.PGSQL.${port || 5432}`) : connect(Number(port), hostname);
  const sockets = new Set<Socket>();
  const links = new Set<{ client: Socket; upstream: Socket; isCut: boolean }>();
  let isBreaking = (_: Buffer): boolean => false;
  let isHanging = false;
  let accepted = 0;

  const server = createServer((client) => {
    accepted += 1;
    const upstream = connectToServer();
    const link = { client, upstream, isCut: false };
    links.add(link);
    client.on('close', () => links.delete(link));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        if (!link.isCut) to.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (bytes) => {
      if (isBreaking(bytes)) client.destroy();
      else if (!isHanging && !link.isCut) upstream.write(bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(target);
  url.search = '';
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    /** Breaks every connection on which a message with this text is sent; null turns that off. */
    breakAt: (text: string | null) => {
      isBreaking = text === null ? () => false : (bytes) => bytes.includes(text);
    },
    /** While on, discards everything that clients send, so that no client gets a response. */
    hang: (isOn: boolean) => {
      isHanging = isOn;
    },
    /** Silently cuts all present connections, as a failover does; new connections work. */
    vanish: () => {
      for (const link of links) {
        link.isCut = true;
        link.upstream.destroy();
      }
    },
    /** How many connections there have been. */
    accepted: () => accepted,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
