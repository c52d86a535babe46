import pg from 'pg';

interface Ears {
  onPayload: (payload: string) => void;
  onGap: (() => void) | undefined;
  onError: (error: Error) => void;
}

const RETRY_MS = 1_000;

/**
 * Listens to a channel on a connection of its own; answers how to stop. A lost connection is made again every second
 * until it holds, and then `onGap` says that notifications may have been missed.
 */
export async function listenOn(
  options: pg.ClientConfig,
  channel: string,
  { onPayload, onGap, onError }: Ears,
): Promise<() => Promise<void>> {
  let stopped = false;
  let current: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const client = new pg.Client(options);
    client.on('notification', (message) => onPayload(message.payload ?? ''));
    client.on('error', onError);
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    client.on('end', reconnectLater);
    current = client;
    if (stopped) await client.end();
  }

  function reconnectLater(): void {
    if (stopped) return;
    clearTimeout(retry);
    retry = setTimeout(() => {
      connect().then(onGap, (error: Error) => {
        onError(error);
        reconnectLater();
      });
    }, RETRY_MS);
  }

  await connect().catch((error: Error) => {
    onError(error);
    reconnectLater();
  });
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await current?.end();
  };
}
