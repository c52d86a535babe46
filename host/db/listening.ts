import pg from 'pg';

interface Listener {
  channel: string;
  onPayload: (payload: string) => void;
  onGap: (() => void) | undefined;
}

interface Listening {
  /** Listens to a channel; returns a function to stop it. Waits for the first connection attempt, even if it fails. */
  listen(listener: Listener): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const RETRY_MS = 1_000;

/**
 * Listens to any number of channels on one dedicated connection, which is open while there are listeners. A lost one is
 * reopened, with a retry every second, and then each `onGap` reports that notifications may have been missed.
 */
export function createListening(
  options: pg.ClientConfig,
  onError: (error: Error) => void,
  verify: (connection: pg.Client) => Promise<void> = async () => undefined,
): Listening {
  const listeners = new Set<Listener>();
  let connection: Promise<pg.Client> | undefined;
  let current: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let lastListened: Promise<void> = Promise.resolve();

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(options);
    lastListened = Promise.resolve();
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of listeners) if (listener.channel === channel) listener.onPayload(payload);
    });
    client.on('error', onError);
    try {
      await client.connect();
      await verify(client);
      await listenOn(client, [...listeners]);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.on('end', () => {
      if (client === current) reconnectLater();
    });
    current = client;
    return client;
  }

  /** Repeating a LISTEN has no effect. One statement after the other, as a client runs only one at a time. */
  function listenOn(client: pg.Client, added: Listener[]): Promise<void> {
    const listened = lastListened.then(async () => {
      for (const { channel } of added) await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    });
    lastListened = listened.catch(() => undefined);
    return listened;
  }

  function reconnectLater(): void {
    clearTimeout(retry);
    if (listeners.size > 0) retry = setTimeout(reconnect, RETRY_MS);
  }

  function reconnect(): void {
    connection = connect();
    connection.then(
      () => {
        for (const { onGap } of listeners) onGap?.();
      },
      (error: Error) => {
        onError(error);
        reconnectLater();
      },
    );
  }

  async function stop(): Promise<void> {
    clearTimeout(retry);
    const ending = connection;
    connection = undefined;
    current = undefined;
    // A connection that was never opened cannot be ended.
    await ending?.then(
      (client) => client.end(),
      () => undefined,
    );
  }

  return {
    async listen(listener) {
      listeners.add(listener);
      const isFirst = connection === undefined;
      connection ??= connect();
      const client = await connection.catch((error: Error) => {
        if (isFirst) onError(error);
        reconnectLater();
      });
      if (client && !isFirst) {
        await listenOn(client, [listener]).catch((error: Error) => {
          onError(error);
          return client.end();
        });
      }
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0) await stop();
      };
    },
    close: async () => {
      listeners.clear();
      await stop();
    },
  };
}
