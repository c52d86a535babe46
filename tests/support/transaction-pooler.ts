import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const SERVER_CONNECTIONS = 3;
const PROTOCOL = 196_608;
/** The settings that pgbouncer accepts when a client connects. */
const ACCEPTED = ['user', 'database', 'application_name', 'client_encoding', 'DateStyle', 'TimeZone'];
const READY = Buffer.from('Z\0\0\0\u0005I', 'latin1');
/** No password is needed. */
const WELCOME = Buffer.concat([Buffer.from('R\0\0\0\u0008\0\0\0\0', 'latin1'), READY]);

interface ServerConnection {
  socket: Socket;
  onMessage(message: Buffer): void;
  onClose(): void;
}

/**
 * A pooler like pgbouncer in transaction mode in front of a PostgreSQL server that needs no password. Consecutive
 * transactions always run on different connections, so that whatever depends on a session fails.
 */
export async function openTransactionPooler(target: string) {
  const { hostname, port, username, pathname } = new URL(target);
  const open = new Set<ServerConnection>();
  const idle: ServerConnection[] = [];
  const waiting = new Set<(connection: ServerConnection) => void>();
  const clients = new Set<Socket>();

  function openConnection(): void {
    const socket = connect(Number(port), hostname).setNoDelay(true);
    const connection: ServerConnection = { socket, onMessage: () => undefined, onClose: () => undefined };
    open.add(connection);
    connection.onMessage = (message) => {
      if (isIdle(message)) offer(connection);
    };
    socket.write(startupMessage({ user: username, database: pathname.slice(1) }));
    socket.on(
      'data',
      splitMessages((message) => connection.onMessage(message)),
    );
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(connection);
      if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1);
      connection.onClose();
      // Without its server a client cannot wait for another connection.
      if (open.size === 0 && waiting.size > 0) for (const client of clients) client.destroy();
    });
  }

  function offer(connection: ServerConnection): void {
    connection.onMessage = () => undefined;
    connection.onClose = () => undefined;
    const [next] = waiting;
    if (!next) idle.push(connection);
    else {
      waiting.delete(next);
      next(connection);
    }
  }

  function request(use: (connection: ServerConnection) => void): void {
    waiting.add(use);
    if (open.size < SERVER_CONNECTIONS) openConnection();
    const longestIdle = idle.shift();
    if (longestIdle) offer(longestIdle);
  }

  function serve(client: Socket): (message: Buffer) => void {
    let connection: ServerConnection | undefined;
    let unsent: Buffer[] = [];
    /** Responses that the server has not completed yet. */
    let pending = 0;

    function use(given: ServerConnection): void {
      connection = given;
      given.onClose = () => client.destroy();
      given.onMessage = (message) => {
        client.write(message);
        if (typeOf(message) === 'Z') pending -= 1;
        if (pending > 0 || !isIdle(message)) return;
        connection = undefined;
        offer(given);
      };
      given.socket.write(Buffer.concat(unsent));
      unsent = [];
    }

    client.on('close', () => {
      waiting.delete(use);
      // Its transaction is unfinished.
      connection?.socket.destroy();
    });
    return (message) => {
      if (typeOf(message) === 'X') return void client.end();
      if (isNamed(message)) return void client.end(refusal('a named statement needs a session'));
      if ('QS'.includes(typeOf(message))) pending += 1;
      if (connection) return void connection.socket.write(message);
      unsent.push(message);
      if (unsent.length === 1) request(use);
    };
  }

  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    client.once('data', (startup) => {
      const refused = settingsOf(startup).filter((name) => !ACCEPTED.includes(name));
      if (refused.length > 0) return void client.end(refusal(`unsupported startup parameter: ${refused}`));
      client.on('data', splitMessages(serve(client)));
      client.write(WELCOME);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    close: async () => {
      for (const client of clients) client.destroy();
      for (const { socket } of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const typeOf = (message: Buffer) => String.fromCharCode(message[0] ?? 0);

/** Whether the message prepares a statement under a name. */
const isNamed = (message: Buffer) => typeOf(message) === 'P' && message[5] !== 0;

/** Whether the server says with this message that it is in no transaction. */
const isIdle = (message: Buffer) => message.equals(READY);

/** Passes on whole messages: a letter, the length of the rest in four bytes, and the rest. */
function splitMessages(onMessage: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const message = rest.subarray(0, rest.readUInt32BE(1) + 1);
      rest = rest.subarray(message.length);
      onMessage(message);
    }
  };
}

function startupMessage(settings: Record<string, string>): Buffer {
  const text = `${Object.entries(settings).flat().join('\0')}\0\0`;
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + text.length, 0);
  head.writeUInt32BE(PROTOCOL, 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** Names of the settings in a client's first message. */
function settingsOf(startup: Buffer): string[] {
  const parts = startup.subarray(8).toString().split('\0');
  return parts.filter((name, index) => index % 2 === 0 && name !== '');
}

function refusal(reason: string): Buffer {
  const fields = `SFATAL\0C08P01\0M${reason}\0\0`;
  const head = Buffer.from('E\0\0\0\0');
  head.writeUInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}
