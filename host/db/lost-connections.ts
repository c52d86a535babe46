import pg from 'pg';
import { within } from './within';

const CHECK_MS = 500;
/** A connection that is in use for longer is asked about. */
const IN_USE_MS = 2_000;
const ANSWER_MS = 2_000;
const ATTEMPTS = 2;

interface Answer {
  self: number;
  found: number[];
}

/**
 * Closes connections whose server is gone without a word, as when its machine lost power: TCP would resend what is
 * asked for many minutes. The question goes over a new connection, to whichever server the name stands for by now.
 * What takes long on a server that is there goes on. Answers how to stop.
 */
export function closeLostConnections(
  pools: pg.Pool[],
  options: pg.ClientConfig,
  onError: (error: Error) => void,
): () => void {
  const open = new Set<pg.PoolClient>();
  /** Connections in use, and when each was last known to have its server. */
  const seenAt = new Map<pg.PoolClient, number>();
  let isChecking = false;

  for (const pool of pools) {
    pool.on('connect', (client) => open.add(client));
    pool.on('acquire', (client) => seenAt.set(client, performance.now()));
    pool.on('release', (_, client) => seenAt.delete(client));
    pool.on('remove', (client) => open.delete(client));
  }

  function listOverdue(): pg.PoolClient[] {
    const latest = performance.now() - IN_USE_MS;
    return [...seenAt].filter(([, at]) => at < latest).map(([client]) => client);
  }

  async function check(): Promise<void> {
    if (listOverdue().length === 0) return;
    const asked = [...open];
    const isThere = await askServer(options, asked);
    const lost = isThere === null ? listOverdue() : asked.filter((client) => !isThere(client));
    for (const client of lost)
      client.connection.stream.destroy(new Error('the server of a connection is gone'));
    for (const client of asked) if (seenAt.has(client)) seenAt.set(client, performance.now());
  }

  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    check()
      .catch(onError)
      .finally(() => {
        isChecking = false;
      });
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

/** Tells which connections the server still has; null where no server answers. */
async function askServer(
  options: pg.ClientConfig,
  clients: pg.PoolClient[],
): Promise<((client: pg.PoolClient) => boolean) | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const client = new pg.Client(options);
    client.on('error', () => undefined);
    try {
      const { self, found } = await within(ANSWER_MS, listFound(client, clients));
      // A pooler in between gives connections numbers of its own.
      return (one) => self !== numberOf(client) || found.includes(numberOf(one));
    } catch (error) {
      // A server that has no room for one more is there.
      if (error instanceof pg.DatabaseError) return () => true;
    } finally {
      client.end().catch(() => undefined);
    }
  }
  return null;
}

async function listFound(client: pg.Client, clients: pg.PoolClient[]): Promise<Answer> {
  await client.connect();
  const { rows } = await client.query<Answer>(
    `select pg_backend_pid() as self,
      array(select pid from pg_stat_activity where pid = any ($1::int[])) as found`,
    [clients.map(numberOf)],
  );
  return rows[0] as Answer;
}

/** The process of the server that a connection was given. */
function numberOf(client: pg.Client): number {
  return (client as unknown as { processID: number }).processID;
}
