import { resolve } from 'node:path';
import type { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { EmbeddedConnection, withoutNotifications } from './embedded-connection';
import { lockFolder } from './folder-lock';

/** The embedded database in its own thread, so that a long statement does not block other requests. */
export interface Embedded {
  /** A connection for a `pg` client, instead of a socket. One at a time, because the engine has a single session. */
  connect(): Duplex;
  /** Calls back for every NOTIFY on the channel, and when some may have been missed; returns a function to stop it. */
  listen(
    channel: string,
    onPayload: (payload: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>>;
  /** Runs work whose statements have no time limit. */
  withoutLimit<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Folder of the database; in memory without it. */
  folder?: string | undefined;
  /** A prepared database to start from: a tar file for one in memory, a folder for one in a folder. */
  template?: string | undefined;
}

interface Listener {
  onPayload: (payload: string) => void;
  onGap: (() => void) | undefined;
}

interface Thread {
  worker: Worker;
  /** Messages without a response so far. */
  waiting: number;
  /** Seconds since the last response. */
  silentSeconds: number;
  connections: Map<number, EmbeddedConnection>;
  onListening: (() => void)[];
}

type Reply = 'open' | { connection: number; output: Uint8Array };
type Message = { connection: number; bytes?: Uint8Array<ArrayBuffer>; listen?: string };

const WORKER = resolve('host/db/embedded-worker.mjs');
/** A statement that takes longer will never return: on a disk that became read-only the engine retries forever. */
const LIMIT_SECONDS = 60;
const REOPEN_MS = 1_000;

/**
 * Opens a database; rejects with the reason if it cannot be opened. A thread that ends or does not respond for a minute
 * is abandoned: its connections break, and opening the folder is retried every second.
 */
export async function openEmbeddedThread(
  options: EmbeddedOptions,
  onError: (error: Error) => void,
  limitSeconds = LIMIT_SECONDS,
): Promise<Embedded> {
  const unlock = options.folder ? await lockFolder(options.folder) : () => {};
  const channels = new Map<string, Set<Listener>>();
  let last = 0;
  let unlimited = 0;
  let isClosed = false;
  let thread = await start().catch((error: unknown) => {
    unlock();
    throw error;
  });
  let fault: Error | null = null;
  const watch = setInterval(watchThread, 1_000);
  watch.unref();

  async function start(): Promise<Thread> {
    const worker = new Worker(WORKER, { workerData: options });
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread of the embedded database ended')));
      worker.once('message', () => resolve());
    });
    worker.removeAllListeners('error').removeAllListeners('exit');
    worker.unref();
    const started: Thread = {
      worker,
      waiting: 0,
      silentSeconds: 0,
      connections: new Map(),
      onListening: [],
    };
    worker.on('message', (reply: Reply) => receive(started, reply));
    worker.on('error', (error) => giveUp(started, error));
    worker.on('exit', () => giveUp(started, new Error('the thread of the embedded database ended')));
    return started;
  }

  function receive(from: Thread, reply: Reply): void {
    if (reply === 'open') return;
    from.waiting -= 1;
    from.silentSeconds = 0;
    if (from.waiting === 0) from.worker.unref();
    if (reply.connection === 0) from.onListening.shift()?.();
    else {
      // Notifications are delivered even if the connection that received them is gone.
      const output = withoutNotifications(reply.output, notify);
      from.connections.get(reply.connection)?.push(output);
    }
  }

  function post(to: Thread, message: Message): void {
    to.waiting += 1;
    if (to.waiting === 1) {
      to.silentSeconds = 0;
      to.worker.ref();
    }
    to.worker.postMessage(message, message.bytes ? [message.bytes.buffer] : []);
  }

  function notify(channel: string, payload: string): void {
    for (const { onPayload } of channels.get(channel) ?? []) onPayload(payload);
  }

  function watchThread(): void {
    if (thread.waiting === 0 || unlimited > 0 || fault) return;
    thread.silentSeconds += 1;
    if (thread.silentSeconds <= limitSeconds) return;
    giveUp(thread, new Error(`the embedded database did not answer for ${limitSeconds} seconds`));
  }

  function giveUp(failed: Thread, reason: Error): void {
    if (isClosed || fault || failed !== thread) return;
    fault = reason;
    onError(reason);
    for (const connection of failed.connections.values()) connection.destroy(reason);
    for (const listening of failed.onListening) listening();
    failed.worker.terminate().then(reopen, reopen);
  }

  async function reopen(): Promise<void> {
    // An in-memory database is lost.
    if (isClosed || !options.folder) return;
    try {
      thread = await start();
      fault = null;
    } catch (error) {
      onError(error as Error);
      setTimeout(reopen, REOPEN_MS).unref();
      return;
    }
    if (isClosed) {
      await thread.worker.terminate();
      return;
    }
    for (const channel of channels.keys()) {
      thread.onListening.push(() => undefined);
      post(thread, { connection: 0, listen: channel });
    }
    for (const { onGap } of [...channels.values()].flatMap((listeners) => [...listeners])) onGap?.();
  }

  return {
    connect() {
      last += 1;
      const [connection, to] = [last, thread];
      const stream = new EmbeddedConnection(
        (bytes) => post(to, { connection, bytes }),
        () => to.connections.delete(connection),
        fault ?? undefined,
      );
      to.connections.set(connection, stream);
      return stream;
    },
    async listen(channel, onPayload, onGap) {
      const listener = { onPayload, onGap };
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      await new Promise<void>((done) => {
        if (fault) return done();
        thread.onListening.push(done);
        post(thread, { connection: 0, listen: channel });
      });
      return async () => {
        listeners.delete(listener);
      };
    },
    async withoutLimit(work) {
      unlimited += 1;
      return work().finally(() => {
        unlimited -= 1;
        thread.silentSeconds = 0;
      });
    },
    async close() {
      isClosed = true;
      clearInterval(watch);
      if (!fault) {
        const closed = new Promise((done) => thread.worker.once('exit', done));
        thread.worker.ref();
        thread.worker.postMessage({ close: true });
        await closed;
      }
      unlock();
    },
  };
}

/** A migrated, empty embedded database made by the build, because setting one up takes seconds. */
export const EMPTY_DATABASE = resolve('build/host/empty-database');
