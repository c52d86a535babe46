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
  constructor(message = 'the database is not ready yet') {
    super(message);
  }
}

/** Thrown instead of using a database that is not the one that the files of this host belong to. */
export class OtherInstallation extends DatabaseNotReady {
  /** Private, so that a logged error does not contain it each time. */
  readonly #explanation: string;

  constructor(explanation: string) {
    super('the database is not the one that the files of this host belong to');
    this.#explanation = explanation;
  }

  /** Which database it is instead, and what to do. */
  get explanation(): string {
    return this.#explanation;
  }
}

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * Opens and migrates a database, with retries until that works. Until then `orm` and everything that needs migrated
 * tables throw; `query`, which serves scans, works as soon as the database is open and recognised.
 */
export function startDatabase(
  open: () => Database | Promise<Database>,
  {
    recognize,
    prepare,
    onError,
  }: {
    /** Rejects with `OtherInstallation` if this is the wrong database, which is then neither read nor migrated. */
    recognize?: ((opened: Database) => Promise<void>) | undefined;
    /** Further work to be done before the database is ready. */
    prepare?: ((orm: Orm) => Promise<void>) | undefined;
    onError: (error: unknown) => void;
  },
): StartingDatabase {
  const closing = new AbortController();
  let opened: Database | undefined;
  let isRecognized = false;
  let isReady = false;
  let refusal: OtherInstallation | undefined;

  async function start(): Promise<void> {
    for (let failures = 0; !isReady; failures += 1) {
      try {
        opened ??= await open();
        if (closing.signal.aborted) return;
        await recognize?.(opened);
        isRecognized = true;
        await opened.migrate();
        await prepare?.(opened.orm);
        isReady = true;
      } catch (error) {
        if (closing.signal.aborted) return;
        refusal = error instanceof OtherInstallation ? error : undefined;
        onError(error);
        if (refusal) await reject();
        const ms = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
        await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
  }

  /** The next attempt opens what is there by then, such as a disk that was not mounted. */
  async function reject(): Promise<void> {
    const wrong = opened;
    opened = undefined;
    isRecognized = false;
    await wrong?.close().catch(onError);
  }

  function requireRecognized(): Database {
    if (!opened || !isRecognized) throw refusal ?? new DatabaseNotReady();
    return opened;
  }

  function whenReady(): Database {
    if (!isReady) throw refusal ?? new DatabaseNotReady();
    return requireRecognized();
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
      query: async (statement) => requireRecognized().query(statement),
      inTransaction: async (work) => requireRecognized().inTransaction(work),
      reads: {
        exact: async (since, work) => whenReady().reads.exact(since, work),
        figures: async (since, work) => whenReady().reads.figures(since, work),
        lookUp: async (query) => requireRecognized().reads.lookUp(query),
      },
      ping: async () => {
        await whenReady().ping();
      },
      listen: async (channel, onPayload, onGap) => {
        await ready;
        if (closing.signal.aborted) return async () => undefined;
        return requireRecognized().listen(channel, onPayload, onGap);
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
