import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Orm } from './client';

/** A database that is opened and migrated while the program is already running. */
interface StartingDatabase {
  db: Database;
  /** Resolves when the database is reachable and migrated. */
  ready: Promise<void>;
  isReady(): boolean;
}

/** Thrown by queries while the database is not ready. */
export class DatabaseNotReady extends Error {
  constructor() {
    super('the database is not ready yet');
  }
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * Opens and migrates a database, with retries until that works. Until then `orm` and everything that needs migrated
 * tables throw; `query`, which serves scans, works as soon as the database is open.
 */
export function startDatabase(
  open: () => Database | Promise<Database>,
  {
    prepare,
    onError,
  }: {
    /** Further work to be done before the database is ready. */
    prepare?: ((orm: Orm) => Promise<void>) | undefined;
    onError: (error: unknown) => void;
  },
): StartingDatabase {
  const closing = new AbortController();
  let opened: Database | undefined;
  let isReady = false;

  async function start(): Promise<void> {
    for (let failures = 0; !isReady; failures += 1) {
      try {
        opened ??= await open();
        if (closing.signal.aborted) return;
        await opened.migrate();
        await prepare?.(opened.orm);
        isReady = true;
      } catch (error) {
        if (closing.signal.aborted) return;
        onError(error);
        const ms = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
        await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  function requireOpened(): Database {
    if (!opened) throw new DatabaseNotReady();
    return opened;
  }

  function whenReady(): Database {
    if (!isReady) throw new DatabaseNotReady();
    return requireOpened();
  }

  const orm = new Proxy({} as Orm, {
    get: (_, name) => {
      const { orm } = whenReady();
      const value: unknown = Reflect.get(orm, name);
      return typeof value === 'function' ? value.bind(orm) : value;
    },
  });
  const ready = start();
  return {
    ready,
    isReady: () => isReady,
    db: {
      orm,
      query: async (statement) => requireOpened().query(statement),
      reads: {
        exact: async (since, work) => whenReady().reads.exact(since, work),
        figures: async (since, work) => whenReady().reads.figures(since, work),
        lookUp: async (query) => requireOpened().reads.lookUp(query),
      },
      ping: async () => {
        await whenReady().ping();
      },
      listen: async (channel, onPayload, onGap) => {
        await ready;
        if (closing.signal.aborted) return async () => undefined;
        return requireOpened().listen(channel, onPayload, onGap);
      },
      connections: () => opened?.connections() ?? [],
      migrate: () => ready,
      close: async () => {
        closing.abort();
        await opened?.close();
      },
    },
  };
}
