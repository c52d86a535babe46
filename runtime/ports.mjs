import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const CONNECT_MS = 1_000;

/**
 * A free port of loopback.
 *
 * @param {(port: number) => boolean} isReserved whether it belongs to a program that has yet to start
 */
export async function findFreePort(isReserved = () => false) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const found = isReserved(port) ? await findFreePort(isReserved) : port;
  server.close();
  await once(server, 'close');
  return found;
}

/**
 * Whether a program listens at an address; not if it is none, which the program itself refuses.
 *
 * @param {string} address
 */
export async function isListening(address) {
  if (!URL.canParse(address)) return false;
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) });
  const isConnected = await new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.setTimeout(CONNECT_MS, () => resolve(false));
  });
  socket.destroy();
  return isConnected;
}
