import pg from 'pg';
import { withTimeout } from './timeout';

const CHECK_MS = 500;
/** Connections in use for longer than this are checked. */
const IN_USE_MS = 2_000;
const TIMEOUT_MS = 2_000;
const ATTEMPTS = 2;

interface Processes {
  self: number;
  found: number[];
}

/**
 * Closes connections whose server has disappeared silently, as when its machine lost power: TCP would retransmit for
 * many minutes. The check uses a new connection, to whichever server the name resolves to by now. Long statements on a
 * server that is alive continue. Returns a function that stops the checks.
 */
export function closeLostConnections(
  pools: pg.Pool[],
  options: pg.ClientConfig,
  onError: (error: Error) => void,
): () => void {
  const open = new Set<pg.PoolClient>();
  /** Connections in use, and when each was last known to be alive. */
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
    const clients = [...open];
    const isAlive = await findAlive(options, clients);
    const lost = isAlive === null ? listOverdue() : clients.filter((client) => !isAlive(client));
    for (const client of lost)
      client.connection.stream.destroy(new Error('the server of a connection is gone'));
    for (const client of clients) if (seenAt.has(client)) seenAt.set(client, performance.now());
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

/** The connections that the server still has; null if no server responds. */
async function findAlive(
  options: pg.ClientConfig,
  clients: pg.PoolClient[],
): Promise<((client: pg.PoolClient) => boolean) | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const client = new pg.Client(options);
    client.on('error', () => undefined);
    try {
      const { self, found } = await withTimeout(queryProcesses(client, clients), TIMEOUT_MS);
      // A pooler assigns its own process ids to connections.
      return (one) => self !== processIdOf(client) || found.includes(processIdOf(one));
    } catch (error) {
      // A server that refuses one more connection is alive.
      if (error instanceof pg.DatabaseError) return () => true;
    } finally {
      client.end().catch(() => undefined);
    }
  }
  return null;
}

async function queryProcesses(client: pg.Client, clients: pg.PoolClient[]): Promise<Processes> {
  await client.connect();
  const { rows } = await client.query<Processes>(
    `select pg_backend_pid() as self,
      array(select pid from pg_stat_activity where pid = any ($1::int[])) as found`,
    [clients.map(processIdOf)],
  );
  return rows[0] as Processes;
}

/** The server's process id of a connection. */
export function processIdOf(client: pg.Client): number {
  return (client as unknown as { processID: number }).processID;
}
