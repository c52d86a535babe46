import { resolve } from 'node:path';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';

/** The embedded database in a thread of its own, so that a long statement holds up no other request. */
export interface Embedded {
  /** A connection for a `pg` client, in place of a socket. One at a time: there is one session behind them all. */
  connect(): Duplex;
  /** Calls back for every NOTIFY on the channel; answers how to stop. */
  listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

type Reply = 'open' | { connection: number; answer: Uint8Array };

const WORKER = resolve('host/db/embedded-worker.mjs');
const [QUERY, SYNC, TERMINATE, NOTIFICATION] = ['Q', 'S', 'X', 'A'].map((letter) => letter.charCodeAt(0));

export interface Place {
  /** Where the database is kept; in memory without it. */
  folder?: string;
  /** A tar file of a database to begin with, so that none has to be set up. */
  template?: string;
}

/** Opens a database; rejects with what keeps it from opening. */
export async function openEmbeddedThread(place: Place): Promise<Embedded> {
  const worker = new Worker(WORKER, { workerData: place });
  await new Promise<void>((opened, reject) => {
    worker.once('error', reject);
    worker.once('message', () => opened());
  });
  worker.removeAllListeners('error');
  worker.unref();

  const connections = new Map<number, Connection>();
  const ears = new Map<string, Set<(payload: string) => void>>();
  const listening: (() => void)[] = [];
  let last = 0;
  let waiting = 0;

  worker.on('message', (reply: Reply) => {
    if (reply === 'open') return;
    waiting -= 1;
    if (waiting === 0) worker.unref();
    if (reply.connection === 0) listening.shift()?.();
    else connections.get(reply.connection)?.push(withoutNotifications(reply.answer, tell));
  });

  function post(message: { connection: number; bytes?: Uint8Array<ArrayBuffer>; listen?: string }): void {
    waiting += 1;
    if (waiting === 1) worker.ref();
    worker.postMessage(message, message.bytes ? [message.bytes.buffer] : []);
  }

  function tell(channel: string, payload: string): void {
    for (const onPayload of ears.get(channel) ?? []) onPayload(payload);
  }

  return {
    connect() {
      last += 1;
      const connection = last;
      const stream = new Connection(
        (bytes) => post({ connection, bytes }),
        () => connections.delete(connection),
      );
      connections.set(connection, stream);
      return stream;
    },
    async listen(channel, onPayload) {
      const heard = ears.get(channel) ?? new Set();
      ears.set(channel, heard.add(onPayload));
      await new Promise<void>((done) => {
        listening.push(done);
        post({ connection: 0, listen: channel });
      });
      return async () => {
        heard.delete(onPayload);
      };
    },
    async close() {
      const closed = new Promise((done) => worker.once('exit', done));
      worker.ref();
      worker.postMessage({ close: true });
      await closed;
    },
  };
}

/** Looks like the socket that `pg` expects; hands on what is written at the end of each round of messages. */
class Connection extends Duplex {
  private pending = Buffer.alloc(0);
  private hasStarted = false;

  constructor(
    private readonly post: (bytes: Uint8Array<ArrayBuffer>) => void,
    private readonly onClose: () => void,
  ) {
    super();
  }

  connect(): void {
    setImmediate(() => this.emit('connect'));
  }

  setNoDelay(): void {}

  setKeepAlive(): void {}

  ref(): void {}

  unref(): void {}

  override _read(): void {}

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.pending = Buffer.concat([this.pending, ...chunks.map(({ chunk }) => chunk)]);
    const letter = this.lastLetter();
    if (letter === null || letter === SYNC || letter === QUERY) this.post(new Uint8Array(this.pending));
    if (letter === null || letter === SYNC || letter === QUERY || letter === TERMINATE)
      this.pending = Buffer.alloc(0);
    done();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this._writev([{ chunk }], done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.onClose();
    done(error);
  }

  /** Letter of the last message; null for the first message of a connection, which has none. */
  private lastLetter(): number | null | undefined {
    if (!this.hasStarted) {
      this.hasStarted = true;
      return null;
    }
    let letter: number | undefined;
    for (let at = 0; at < this.pending.length; at += 1 + this.pending.readInt32BE(at + 1)) {
      letter = this.pending[at];
    }
    return letter;
  }
}

/** PostgreSQL's messages: a letter, four bytes of length that count themselves, the content. */
function withoutNotifications(answer: Uint8Array, tell: (channel: string, payload: string) => void): Buffer {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const kept: Buffer[] = [];
  let from = 0;
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    next = at + 1 + bytes.readInt32BE(at + 1);
    if (bytes[at] !== NOTIFICATION) continue;
    const [channel = '', payload = ''] = bytes.toString('utf8', at + 9, next).split('\0');
    tell(channel, payload);
    kept.push(bytes.subarray(from, at));
    from = next;
  }
  return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
}
