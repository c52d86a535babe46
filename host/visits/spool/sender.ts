import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import type { VisitCounter } from '#host/visits/count/count';
import { type Batch, insertBatch } from '#host/visits/count/journal';
import type { SpoolChunk } from './reader';
import type { Spool } from './spool';

const FIRST_RETRY_MS = 100;
/** Short: with the spool full, visits are lost until it notices that the database is back. */
const LAST_RETRY_MS = 250;
const LOG_EVERY_MS = 30_000;
const FIRST_LOG_MS = 10_000;

/** Moves visits from the spool to the journal, and knows whether the database is down. */
export class Sender {
  readonly #db: Deps['db'];
  readonly #log: Deps['log'];
  readonly #spool: Spool;
  readonly #counter: VisitCounter;
  readonly #expediting = new AbortController();
  #running: Promise<void> | undefined;
  #isRequested = false;
  #isClosed = false;
  #downSince: number | undefined;
  #busySince = 0;
  #loggedAt = 0;
  #sent = 0;
  #hasDuplicates = false;

  constructor({ db, log }: Pick<Deps, 'db' | 'log'>, spool: Spool, counter: VisitCounter) {
    this.#db = db;
    this.#log = log;
    this.#spool = spool;
    this.#counter = counter;
  }

  /** Starts sending, unless it already is. */
  send(): void {
    if (this.#isClosed) return;
    this.#isRequested = true;
    if (this.#running) return;
    this.#busySince = performance.now();
    this.#loggedAt = this.#busySince;
    this.#sent = 0;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      // Visits may have arrived since it last checked the spool.
      if (this.#isRequested) this.send();
    });
  }

  /** Reports a failed write: the database counts as down until a write from the spool succeeds. */
  failed(error: unknown): void {
    if (this.#downSince !== undefined) return;
    this.#downSince = performance.now();
    this.#log.warn({ err: error }, 'visits go to the spool: the database does not accept them');
  }

  isDatabaseDown(): boolean {
    return this.#downSince !== undefined;
  }

  isSending(): boolean {
    return this.#running !== undefined;
  }

  /** Visits sent since the spool was last empty, and how long ago that was. */
  backlog(): { visits: number; seconds: number } {
    return { visits: this.#sent, seconds: this.#running ? secondsSince(this.#busySince) : 0 };
  }

  /** Resolves when the spool is empty. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** From now on retries at short intervals. */
  expedite(): void {
    this.#expediting.abort();
  }

  close(): void {
    this.#isClosed = true;
    this.#expediting.abort();
  }

  async #run(): Promise<void> {
    if (this.#downSince !== undefined) await this.#pause(FIRST_RETRY_MS);
    while (this.#isRequested && !this.#isClosed) {
      this.#isRequested = false;
      await this.#sendAll();
    }
    if (!this.#isClosed) this.#finish();
  }

  async #sendAll(): Promise<void> {
    for (let failures = 0; !this.#isClosed; ) {
      try {
        const chunk = await this.#spool.next();
        if (!chunk) return this.#recovered();
        await this.#sendChunk(chunk);
        chunk.acknowledge();
        this.#sent += chunk.merged.size;
        failures = 0;
        this.#recovered();
      } catch (error) {
        this.failed(error);
        await this.#pause(Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
        failures += 1;
      }
      this.#logDelay();
    }
  }

  async #sendChunk({ merged, batches, isAbandoned }: SpoolChunk): Promise<void> {
    const [first] = batches;
    if (await this.#insert(merged, isAbandoned, first?.number)) return;
    // Some were already in the journal without the counter knowing.
    if (batches.length > 1) for (const batch of batches) await this.#insert(batch, isAbandoned);
    this.#hasDuplicates = true;
  }

  async #insert(batch: Batch, isAbandoned: boolean, first?: number): Promise<boolean> {
    const [row] = await this.#db.query<{ id: number }>(insertBatch(batch, first));
    if (row) this.#counter.add(row.id, batch.size, isAbandoned || this.#expediting.signal.aborted);
    return row !== undefined;
  }

  #recovered(): void {
    if (this.#downSince === undefined) return;
    this.#log.info({ seconds: secondsSince(this.#downSince) }, 'the database accepts visits again');
    this.#downSince = undefined;
  }

  #logDelay(): void {
    const now = performance.now();
    if (now - this.#busySince < FIRST_LOG_MS || now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    this.#log.info(
      { sent: this.#sent, seconds: secondsSince(this.#busySince) },
      'visits in the spool are waiting for the database',
    );
  }

  #finish(): void {
    if (this.#hasDuplicates) this.#counter.claimUnannounced();
    this.#hasDuplicates = false;
    if (this.#sent > 0)
      this.#log.info(
        { visits: this.#sent, seconds: secondsSince(this.#busySince) },
        'visits were sent from the spool',
      );
  }

  #pause(ms: number): Promise<void> {
    if (this.#expediting.signal.aborted) return delay(FIRST_RETRY_MS);
    return delay(ms, undefined, { signal: this.#expediting.signal }).catch(() => undefined);
  }
}

function secondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
