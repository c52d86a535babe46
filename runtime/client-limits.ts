import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ipRateLimitKey } from './ip-rate-limit-key';
import { isCodePath } from './request-target';

/** Requests that may wait for the response to the one before them on their connection. Browsers send none. */
const MAX_PIPELINED = 16;
/** Simultaneous visits of a client: so many take a few milliseconds, for which those of others may have to wait. */
const MAX_VISITS = 16;
/** Its other simultaneous requests: pages and their files for the people of an office that share an address. */
const MAX_OTHERS = 256;
/** How many more of its requests may wait for these, and how long: about as long as a visit may take. */
const MAX_WAITING = 256;
const WAIT_MS = 5_000;
/** Connections of a peer; phones share addresses, and each keeps its connection after a visit. */
const MAX_OF_PEER = 256;
/** Connections of all peers: with one more to another program each, just below a common limit of 4,096 descriptors. */
const MAX_CONNECTIONS = 2_000;

interface Connection {
  socket: Socket;
  /** The limited connections of its peer, itself included; null for peers without a limit. */
  siblings: Set<Connection> | null;
  /** Grows with each use of a connection. */
  lastUse: number;
  current: ServerResponse | null;
  /** Called when the current request ends. */
  end: (() => void) | null;
  waiting: Turn[];
}

interface Turn {
  response: ServerResponse;
  begin: () => void;
}

interface Client {
  underway: number;
  waiting: Set<() => void>;
}

interface ClientLimitOptions {
  /** Whether a peer is one of our proxies, or on this machine: its connections are not limited, nor its own requests. */
  isProxy: (peer: string) => boolean;
  clientIpOf: (request: IncomingMessage) => string;
  /** Whether a request comes from one of our programs, which has limited its clients already. */
  isOwn: (request: IncomingMessage) => boolean;
  onFlood: () => void;
}

/**
 * Shares a server out among its clients: the requests of a connection are handled one at a time, and a client, which is
 * an IPv4 address or an IPv6 network of 56 bits, has a limited number of connections and of requests underway.
 */
export class ClientLimits {
  readonly #options: ClientLimitOptions;
  #uses = 0;
  readonly #connections = new Set<Connection>();
  readonly #ofSockets = new WeakMap<Socket, Connection>();
  readonly #peers = new Map<string, Set<Connection>>();
  readonly #clients = new Map<string, Client>();
  /** Addresses of our own programs on other machines, known once they have sent their key. */
  readonly #ownPeers = new Set<string>();

  constructor(options: ClientLimitOptions) {
    this.#options = options;
  }

  /** Limits the connections: in place of one too many, the connection is closed that has been idle for longest. */
  connect(socket: Socket): Connection {
    const { remoteAddress: peer = '' } = socket;
    const key = ipRateLimitKey(peer, 56);
    const isLimited = !this.#options.isProxy(peer) && !this.#ownPeers.has(peer);
    const siblings = isLimited ? (this.#peers.get(key) ?? new Set<Connection>()) : null;
    this.#uses += 1;
    const connection: Connection = {
      socket,
      siblings,
      lastUse: this.#uses,
      current: null,
      end: null,
      waiting: [],
    };
    this.#connections.add(connection);
    this.#ofSockets.set(socket, connection);
    if (siblings) this.#peers.set(key, siblings.add(connection));
    socket.once('close', () => {
      this.#forget(connection);
      if (siblings?.size === 0 && this.#peers.get(key) === siblings) this.#peers.delete(key);
    });
    if (siblings) this.#makeRoom(siblings, MAX_OF_PEER, connection);
    this.#makeRoom(this.#connections, MAX_CONNECTIONS, connection);
    return connection;
  }

  /** Begins a request when the earlier ones of its connection are answered. */
  inTurn(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const { socket } = request;
    const connection = this.#ofSockets.get(socket) ?? this.connect(socket);
    if (connection.current === null && !socket.destroyed) this.#take(connection, { response, begin });
    else {
      connection.waiting.push({ response, begin });
      // More may follow in the bytes that have been read.
      if (connection.current === null) this.#takeNext(connection);
      else if (connection.waiting.length > MAX_PIPELINED && !socket.destroyed) {
        this.#options.onFlood();
        stopParsing(socket);
        socket.destroy();
      }
    }
  }

  /** Begins a request when its client has few enough underway; `refuse` if there are too many, or if it waits too long. */
  whenFree(request: IncomingMessage, begin: () => void, refuse: () => void): void {
    const connection = this.#ofSockets.get(request.socket);
    const isFromUs = this.#options.isOwn(request);
    if (isFromUs) this.#admitPeer(request.socket);
    const ip = isFromUs ? '' : this.#options.clientIpOf(request);
    if (!connection || isFromUs || this.#options.isProxy(ip)) return void begin();
    const isVisit = isCodePath(request.url ?? '');
    const key = `${isVisit ? 'visits' : 'others'} ${ipRateLimitKey(ip, 56)}`;
    const client = this.#clients.get(key) ?? { underway: 0, waiting: new Set() };
    this.#clients.set(key, client);
    const run = () => {
      client.underway += 1;
      connection.end = () => {
        client.underway -= 1;
        const [next] = client.waiting;
        if (next) next();
        else if (client.underway === 0) this.#clients.delete(key);
      };
      begin();
    };
    if (client.underway < (isVisit ? MAX_VISITS : MAX_OTHERS)) return void run();
    if (client.waiting.size >= MAX_WAITING) return void refuse();
    const stopWaiting = () => {
      clearTimeout(timer);
      client.waiting.delete(next);
      connection.end = null;
    };
    const next = () => {
      stopWaiting();
      run();
    };
    const timer = setTimeout(() => {
      stopWaiting();
      refuse();
    }, WAIT_MS);
    connection.end = stopWaiting;
    client.waiting.add(next);
  }

  #makeRoom(group: Set<Connection>, most: number, newest: Connection): void {
    if (group.size <= most) return;
    let leaving = newest;
    for (const one of group) if (one.current === null && one.lastUse < leaving.lastUse) leaving = one;
    this.#forget(leaving);
    leaving.socket.destroy();
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    connection.siblings?.delete(connection);
  }

  #take(connection: Connection, { response, begin }: Turn): void {
    connection.current = response;
    response.on('close', () => {
      this.#uses += 1;
      connection.lastUse = this.#uses;
      connection.current = null;
      connection.end?.();
      connection.end = null;
      this.#takeNext(connection);
    });
    begin();
  }

  #takeNext(connection: Connection): void {
    const { socket, waiting } = connection;
    if (waiting.length === 0) return;
    if (socket.destroyed || socket.writableEnded) {
      // Node closes only the response that has the socket.
      for (const { response } of waiting.splice(0)) response.destroy().emit('close');
    } else this.#take(connection, waiting.shift() as Turn);
  }

  #admitPeer(socket: Socket): void {
    const connection = this.#ofSockets.get(socket);
    if (!connection?.siblings) return;
    this.#ownPeers.add(socket.remoteAddress ?? '');
    connection.siblings.delete(connection);
    connection.siblings = null;
  }
}

/**
 * Keeps Node from making a request of each of the thousands that may be left in the 64 kB it has read. The result 2 ends
 * the parser's run (https://github.com/nodejs/llhttp, `on_headers_complete`). Node has no public way to do so.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: unknown } | null };
  if (parser) parser.onIncoming = () => 2;
}
