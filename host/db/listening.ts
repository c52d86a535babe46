import pg from 'pg';

interface Listener {
  channel: string;
  onPayload: (payload: string) => void;
  onGap: (() => void) | undefined;
}

const RETRY_MS = 1_000;

/**
 * Listens to any number of channels on one dedicated connection, which is open while there are listeners. A lost one is
 * reopened, with a retry every second, and then each `onGap` reports that notifications may have been missed.
 */
export class Listening {
  readonly #options: pg.ClientConfig;
  readonly #onError: (error: Error) => void;
  readonly #verify: (connection: pg.Client) => Promise<void>;
  readonly #listeners = new Set<Listener>();
  #connection: Promise<pg.Client> | undefined;
  #current: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #lastListened: Promise<void> = Promise.resolve();

  constructor(
    options: pg.ClientConfig,
    onError: (error: Error) => void,
    verify: (connection: pg.Client) => Promise<void> = async () => undefined,
  ) {
    this.#options = options;
    this.#onError = onError;
    this.#verify = verify;
  }

  /** Listens to a channel; returns a function to stop it. Waits for the first connection attempt, even if it fails. */
  async listen(listener: Listener): Promise<() => Promise<void>> {
    this.#listeners.add(listener);
    const isFirst = this.#connection === undefined;
    this.#connection ??= this.#connect();
    const client = await this.#connection.catch((error: Error) => {
      if (isFirst) this.#onError(error);
      this.#reconnectLater();
    });
    if (client && !isFirst) {
      await this.#listenOn(client, [listener]).catch((error: Error) => {
        this.#onError(error);
        return client.end();
      });
    }
    return async () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) await this.#stop();
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#stop();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#options);
    this.#lastListened = Promise.resolve();
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of this.#listeners) if (listener.channel === channel) listener.onPayload(payload);
    });
    client.on('error', this.#onError);
    try {
      await client.connect();
      await this.#verify(client);
      await this.#listenOn(client, [...this.#listeners]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.on('end', () => {
      if (client === this.#current) this.#reconnectLater();
    });
    this.#current = client;
    return client;
  }

  /** Repeating a LISTEN has no effect. One statement after the other, as a client runs only one at a time. */
  #listenOn(client: pg.Client, added: Listener[]): Promise<void> {
    const listened = this.#lastListened.then(async () => {
      for (const { channel } of added) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    });
    this.#lastListened = listened.catch(() => undefined);
    return listened;
  }

  #reconnectLater(): void {
    clearTimeout(this.#retry);
    if (this.#listeners.size > 0) this.#retry = setTimeout(() => this.#reconnect(), RETRY_MS);
  }

  #reconnect(): void {
    this.#connection = this.#connect();
    this.#connection.then(
      () => {
        for (const { onGap } of this.#listeners) onGap?.();
      },
      (error: Error) => {
        this.#onError(error);
        this.#reconnectLater();
      },
    );
  }

  async #stop(): Promise<void> {
    clearTimeout(this.#retry);
    const ending = this.#connection;
    this.#connection = undefined;
    this.#current = undefined;
    // A connection that was never opened cannot be ended.
    await ending?.then(
      (client) => client.end(),
      () => undefined,
    );
  }
}
