import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import type { VisitCounter } from '#host/visits/count/count';
import { type Batch, insertBatch } from '#host/visits/count/journal';
import type { SpoolChunk } from './reader';
import type { Spool } from './spool';

/** Moves visits from the spool to the journal, and knows whether the database is down. */
interface Sender {
  /** Starts sending, unless it already is. */
  send(): void;
  /** Reports a failed write: the database counts as down until a write from the spool succeeds. */
  failed(error: unknown): void;
  isDatabaseDown(): boolean;
  isSending(): boolean;
  /** Visits sent since the spool was last empty, and how long ago that was. */
  backlog(): { visits: number; seconds: number };
  /** Resolves when the spool is empty. */
  idle(): Promise<void>;
  /** From now on retries at short intervals. */
  expedite(): void;
  close(): void;
}

const FIRST_RETRY_MS = 100;
/** Short: with the spool full, visits are lost until it notices that the database is back. */
const LAST_RETRY_MS = 250;
const LOG_EVERY_MS = 30_000;
const FIRST_LOG_MS = 10_000;

export function createSender(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  spool: Spool,
  counter: VisitCounter,
): Sender {
  const expediting = new AbortController();
  let running: Promise<void> | undefined;
  let isRequested = false;
  let isClosed = false;
  let downSince: number | undefined;
  let busySince = 0;
  let loggedAt = 0;
  let sent = 0;
  let hasDuplicates = false;

  function send(): void {
    if (isClosed) return;
    isRequested = true;
    if (running) return;
    busySince = performance.now();
    loggedAt = busySince;
    sent = 0;
    running = run().finally(() => {
      running = undefined;
      // Visits may have arrived since it last checked the spool.
      if (isRequested) send();
    });
  }

  async function run(): Promise<void> {
    if (downSince !== undefined) await pause(FIRST_RETRY_MS);
    while (isRequested && !isClosed) {
      isRequested = false;
      await sendAll();
    }
    if (!isClosed) finish();
  }

  async function sendAll(): Promise<void> {
    for (let failures = 0; !isClosed; ) {
      try {
        const chunk = await spool.next();
        if (!chunk) return recovered();
        await sendChunk(chunk);
        chunk.acknowledge();
        sent += chunk.merged.size;
        failures = 0;
        recovered();
      } catch (error) {
        failed(error);
        await pause(Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
        failures += 1;
      }
      logDelay();
    }
  }

  async function sendChunk({ merged, batches, isAbandoned }: SpoolChunk): Promise<void> {
    const [first] = batches;
    if (await insert(merged, isAbandoned, first?.number)) return;
    // Some were already in the journal without the counter knowing.
    if (batches.length > 1) for (const batch of batches) await insert(batch, isAbandoned);
    hasDuplicates = true;
  }

  async function insert(batch: Batch, isAbandoned: boolean, first?: number): Promise<boolean> {
    const [row] = await db.query<{ id: number }>(insertBatch(batch, first));
    if (row) counter.add(row.id, batch.size, isAbandoned || expediting.signal.aborted);
    return row !== undefined;
  }

  function failed(error: unknown): void {
    if (downSince !== undefined) return;
    downSince = performance.now();
    log.warn({ err: error }, 'visits go to the spool: the database does not accept them');
  }

  function recovered(): void {
    if (downSince === undefined) return;
    log.info({ seconds: secondsSince(downSince) }, 'the database accepts visits again');
    downSince = undefined;
  }

  function logDelay(): void {
    const now = performance.now();
    if (now - busySince < FIRST_LOG_MS || now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    log.info({ sent, seconds: secondsSince(busySince) }, 'visits in the spool are waiting for the database');
  }

  function finish(): void {
    if (hasDuplicates) counter.claimUnannounced();
    hasDuplicates = false;
    if (sent > 0)
      log.info({ visits: sent, seconds: secondsSince(busySince) }, 'visits were sent from the spool');
  }

  function pause(ms: number): Promise<void> {
    if (expediting.signal.aborted) return delay(FIRST_RETRY_MS);
    return delay(ms, undefined, { signal: expediting.signal }).catch(() => undefined);
  }

  return {
    send,
    failed,
    isDatabaseDown: () => downSince !== undefined,
    isSending: () => running !== undefined,
    backlog: () => ({ visits: sent, seconds: running ? secondsSince(busySince) : 0 }),
    idle: async () => running,
    expedite: () => expediting.abort(),
    close: () => {
      isClosed = true;
      expediting.abort();
    },
  };
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
