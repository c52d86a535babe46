import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body: Buffer | null;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A request that takes longer hangs: even on a busy machine, the slowest responses take one second. */
const DEADLINE_MS = 15_000;

export interface Client {
  /** Number of requests sent so far. */
  sent(): number;
  /** Rejects if there is no response in time or the connection ends without one. */
  send(sent: Sent): Promise<Reply>;
  /** Sends bytes that need not be valid HTTP; returns everything received until the server closed. */
  sendBytes(bytes: Buffer): Promise<string>;
  /** Sends bytes and leaves, at once or when the first byte is received. */
  abandon(bytes: Buffer, isLater: boolean): Promise<void>;
  close(): void;
}

/** Sends requests, as malformed as Node's client permits, over keep-alive connections. */
export function createClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let count = 0;

  function sendOnce({ method, path, headers, body }: Sent): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const length = body ? { 'content-length': String(body.length) } : {};
      const outgoing = request({
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...length, ...headers },
      });
      const deadline = setTimeout(
        () => outgoing.destroy(new Error(`no response in ${DEADLINE_MS} ms`)),
        DEADLINE_MS,
      );
      const fail = (error: Error) => {
        clearTimeout(deadline);
        reject(Object.assign(error, { isStale: outgoing.reusedSocket }));
      };
      outgoing.on('error', fail);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        const finish = () => {
          clearTimeout(deadline);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers as Record<string, string>,
            text: isText(incoming.headers['content-type']) ? Buffer.concat(chunks).toString() : '',
          });
        };
        // The stream of live figures never ends.
        if (incoming.headers['content-type']?.startsWith('text/event-stream')) {
          finish();
          return incoming.destroy();
        }
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('end', finish);
        incoming.on('error', fail);
      });
      outgoing.end(body);
    });
  }

  return {
    sent: () => count,
    send: async (sent) => {
      count += 1;
      return sendOnce(sent).catch((error) => {
        // The server may have closed a keep-alive connection just as it was reused.
        if (error.isStale && error.code === 'ECONNRESET') return sendOnce(sent);
        // A client that is refused while still sending its body may never receive the response.
        const isCutOff = ['ECONNRESET', 'EPIPE'].includes(error.code) && (sent.body?.length ?? 0) > 16_384;
        if (isCutOff) return { status: 413, headers: {}, text: '' };
        throw error;
      });
    },
    sendBytes: (bytes) => {
      count += 1;
      return new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
        const chunks: Buffer[] = [];
        socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error(`no response in ${DEADLINE_MS} ms`)));
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('end', () => socket.destroy());
        socket.on('error', (error: NodeJS.ErrnoException) =>
          ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
            ? resolve(Buffer.concat(chunks).toString())
            : reject(error),
        );
        socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
        socket.write(bytes);
      });
    },
    abandon: async (bytes, isLater) => {
      count += 1;
      const socket = connect({ host: '127.0.0.1', port });
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => {
        socket.once('close', resolve);
        socket.setTimeout(DEADLINE_MS, resolve);
        if (isLater) socket.once('data', () => resolve());
        socket.write(bytes, () => isLater || resolve());
      });
      socket.destroy();
    },
    close: () => agent.destroy(),
  };
}

function isText(type = ''): boolean {
  return /^(?:text\/|application\/(?:json|problem\+json|xml)|image\/svg)/.test(type);
}
