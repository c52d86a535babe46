import { Duplex } from 'node:stream';

const [QUERY, SYNC, TERMINATE, NOTIFICATION] = ['Q', 'S', 'X', 'A'].map((letter) => letter.charCodeAt(0));

/** Acts as the socket that `pg` expects; forwards the written bytes at the end of each round of messages. */
export class EmbeddedConnection extends Duplex {
  private pending = Buffer.alloc(0);
  private hasStarted = false;

  constructor(
    private readonly post: (bytes: Uint8Array<ArrayBuffer>) => void,
    private readonly onClose: () => void,
    private readonly refusal?: Error,
  ) {
    super();
  }

  connect(): void {
    setImmediate(() => (this.refusal ? this.destroy(this.refusal) : this.emit('connect')));
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

  /** Type of the last message; null for the first message of a connection, which has none. */
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

/** PostgreSQL's message format: a type byte, a four-byte length that includes itself, the content. */
export function withoutNotifications(
  output: Uint8Array,
  notify: (channel: string, payload: string) => void,
): Buffer {
  const bytes = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const chunks: Buffer[] = [];
  let from = 0;
  for (let at = 0, next = 0; at < bytes.length; at = next) {
    next = at + 1 + bytes.readInt32BE(at + 1);
    if (bytes[at] !== NOTIFICATION) continue;
    const [channel = '', payload = ''] = bytes.toString('utf8', at + 9, next).split('\0');
    notify(channel, payload);
    chunks.push(bytes.subarray(from, at));
    from = next;
  }
  return from === 0 ? bytes : Buffer.concat([...chunks, bytes.subarray(from)]);
}
