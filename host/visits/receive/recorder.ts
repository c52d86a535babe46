import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { VisitCounter } from '#host/visits/count/count';
import { type Batch, daysOf, insertBatch, serializeVisits } from '#host/visits/count/journal';
import { type HashVisitor, VisitorSalts } from '#host/visits/count/visitor-salts';
import { Sender } from '#host/visits/spool/sender';
import { Spool } from '#host/visits/spool/spool';
import { createRepeatedError, type RepeatedError } from '#runtime/log';
import type { Visit } from './classify';

interface Queued {
  visit: Visit;
  acknowledge: () => void;
}

interface Lane {
  id: string;
  number: number;
  run: Promise<void> | undefined;
}

const SPOOL_AFTER_MS = 25;
/** A disk that takes longer is broken: visits are acknowledged without it. */
const DISK_TIMEOUT_MS = 2_000;
const SLOW_DISK = 'the disk is slow: visits are answered that only memory holds yet';
const MAX_BATCH_VISITS = 1_000;
const CLOSE_TIMEOUT_MS = 5_500;
const COUNTER_CLOSE_TIMEOUT_MS = 500;
/** The end of closing that the spool and the counter need. */
const LAST_CLOSE_MS = 1_000;

/**
 * Group commit: a batch closes when the previous one has committed, so that its size follows the load and no visit
 * waits for a timer. The server takes a second batch while it flushes the first. A batch becomes a row of the
 * journal; the counters follow. One that is not committed in time is spooled to disk before its visits are
 * acknowledged.
 */
export class VisitRecorder {
  /** The only ones of the process: two would overwrite each other's file. */
  readonly salts: VisitorSalts;
  readonly #db: Deps['db'];
  readonly #log: Deps['log'];
  readonly #slowDiskError: RepeatedError;
  readonly #counter: VisitCounter;
  readonly #spool: Spool;
  readonly #sender: Sender;
  readonly #lanes = [newLane(), newLane()];
  readonly #spoolings = new Set<Promise<void>>();
  #queue: Queued[] = [];
  #queuedAt = 0;
  #queueTimer: NodeJS.Timeout | undefined;
  #isWakeScheduled = false;
  #isClosing = false;

  constructor(deps: Pick<Deps, 'db' | 'log' | 'clock' | 'random' | 'visits'>) {
    this.#db = deps.db;
    this.#log = deps.log;
    this.#slowDiskError = createRepeatedError(deps.log, SLOW_DISK, 'visits');
    this.salts = new VisitorSalts(deps);
    this.#counter = new VisitCounter(deps);
    this.#spool = new Spool(deps);
    this.#sender = new Sender(deps, this.#spool, this.#counter);
  }

  /**
   * Resolves when the visit is committed to the journal, or if that takes longer than 25 ms, when it is in a synced
   * file. It is counted soon after, or once the database is back. Never rejects.
   */
  record(visit: Visit): Promise<void> {
    return new Promise((acknowledge) => {
      if (this.#queue.length === 0) this.#queuedAt = performance.now();
      this.#queue.push({ visit, acknowledge });
      this.#queueTimer ??= setTimeout(() => this.#checkQueue(), SPOOL_AFTER_MS);
      if (this.#isWakeScheduled) return;
      this.#isWakeScheduled = true;
      setImmediate(() => this.#wake());
    });
  }

  /**
   * Takes over visits that other processes left in the journal over `ms` ago or in the spool. Resolves when they are
   * listed; they are counted soon after.
   */
  async claimStale(ms: number): Promise<void> {
    await this.#spool.claimStale();
    this.#sender.send();
    await this.#counter.claimStale(ms);
  }

  /** Resolves when every recorded or claimed visit is counted. */
  async idle(): Promise<void> {
    while (
      this.#queue.length > 0 ||
      this.#lanes.some(({ run }) => run) ||
      this.#spoolings.size > 0 ||
      this.#sender.isSending()
    ) {
      this.#wake();
      await Promise.all([
        ...this.#lanes.map(({ run }) => run),
        ...this.#spoolings,
        this.#sender.idle(),
        nextTurn(),
      ]);
    }
    await this.#counter.idle();
  }

  /** Writes and counts what is queued; what the database does not take in `ms` milliseconds stays in the spool. */
  async close(ms = CLOSE_TIMEOUT_MS): Promise<void> {
    this.#isClosing = true;
    this.#sender.expedite();
    await withTimeout(this.idle(), ms - LAST_CLOSE_MS).catch(() => undefined);
    clearTimeout(this.#queueTimer);
    this.#sender.close();
    await this.#spool.close();
    this.#slowDiskError.flush();
    this.#logLeft();
    await withTimeout(this.#counter.close(), COUNTER_CLOSE_TIMEOUT_MS).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'visits stay in the journal until the next start'),
    );
  }

  /** Visits that were sent from the spool since it was last empty, and how long ago that was. */
  backlog(): { visits: number; seconds: number } {
    return this.#sender.backlog();
  }

  /** Bytes of visits in the spool that are not in the database. */
  spooledBytes(): number {
    return this.#spool.bytes();
  }

  /** Visits since the start that were served but will not be counted, for lack of space. */
  lostVisits(): number {
    return this.#spool.lost();
  }

  #wake(): void {
    this.#isWakeScheduled = false;
    // No use in waiting while the database is down.
    if (this.#sender.isDatabaseDown()) this.#spoolQueue();
    for (const lane of this.#lanes) {
      lane.run ??= this.#run(lane).finally(() => {
        lane.run = undefined;
      });
    }
  }

  async #run(lane: Lane): Promise<void> {
    let written: Queued[] = [];
    while (this.#queue.length > 0 && !this.#sender.isDatabaseDown()) {
      const queuedSince = this.#queuedAt;
      const batch = this.#takeBatch();
      const writing = this.#write(lane, batch, queuedSince);
      // Start the next write before acknowledging, so that the database is never idle.
      acknowledgeAll(written);
      await writing;
      written = batch;
      if (this.#queue.length === 0) {
        acknowledgeAll(written);
        written = [];
        await nextTurn();
      }
    }
    acknowledgeAll(written);
  }

  #takeBatch(): Queued[] {
    if (this.#queue.length > MAX_BATCH_VISITS) return this.#queue.splice(0, MAX_BATCH_VISITS);
    const batch = this.#queue;
    this.#queue = [];
    return batch;
  }

  /** Resolves when the visits are in the journal or in the spool. */
  async #write(lane: Lane, queued: Queued[], queuedSince: number): Promise<void> {
    const visits = queued.map(({ visit }) => visit);
    lane.number += 1;
    const { id, number } = lane;
    let batch: Batch | undefined;
    let spooling: Promise<void> | undefined;
    const prepare = (hashVisitor: HashVisitor) => {
      batch ??= { lane: id, number, ...batchOf(visits, hashVisitor) };
      return batch;
    };
    const spoolBatch = () => {
      spooling ??= this.salts
        .loadOffline(daysOf(visits))
        .then((hashVisitor) => this.#withDiskTimeout(this.#spool.hold(prepare(hashVisitor)), queued.length))
        .then(() => acknowledgeAll(queued));
    };
    const timer = setTimeout(spoolBatch, Math.max(0, queuedSince + SPOOL_AFTER_MS - performance.now()));
    try {
      const hashVisitor = await this.salts.load(daysOf(visits));
      const [row] = await this.#db.query<{ id: number }>(insertBatch(prepare(hashVisitor)));
      if (row) this.#counter.add(row.id, visits.length, this.#isClosing);
      // An earlier attempt was committed without its reply arriving.
      else this.#counter.claimUnannounced();
      clearTimeout(timer);
      // They are safe: neither their acknowledgement nor the lane waits for a slow disk.
      if (spooling) this.#track(this.#afterSpooling(spooling, () => batch && this.#spool.sent(batch)));
    } catch (error) {
      clearTimeout(timer);
      // The lane is abandoned: its later batches must not overtake the failed one.
      Object.assign(lane, { id: randomUUID(), number: 0 });
      this.#sender.failed(error);
      spoolBatch();
      this.#wake();
      if (spooling) await this.#afterSpooling(spooling, () => batch && this.#spool.release(batch));
    }
  }

  /** Reports the outcome of a batch once it is in the spool, and lets the sender send or skip it. */
  async #afterSpooling(spooling: Promise<void>, report: () => void): Promise<void> {
    await spooling;
    report();
    this.#sender.send();
  }

  #checkQueue(): void {
    this.#queueTimer = undefined;
    if (this.#queue.length === 0) return;
    const remainingMs = this.#queuedAt + SPOOL_AFTER_MS - performance.now();
    if (remainingMs <= 1) this.#spoolQueue();
    else this.#queueTimer = setTimeout(() => this.#checkQueue(), remainingMs);
  }

  #spoolQueue(): void {
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      const visits = batch.map(({ visit }) => visit);
      const spooling = this.salts
        .loadOffline(daysOf(visits))
        .then((hashVisitor) =>
          this.#withDiskTimeout(this.#spool.add(batchOf(visits, hashVisitor)), batch.length),
        )
        .then(() => {
          acknowledgeAll(batch);
          this.#sender.send();
        });
      this.#track(spooling);
    }
  }

  /** Resolves when the write of so many visits is done, or takes too long. */
  #withDiskTimeout(writing: Promise<void>, visits: number): Promise<void> {
    return withTimeout(writing, DISK_TIMEOUT_MS).catch(() => this.#slowDiskError.add({}, visits));
  }

  /** Lets `idle` and `close` wait for it. */
  #track(spooling: Promise<void>): void {
    this.#spoolings.add(spooling);
    spooling.then(() => this.#spoolings.delete(spooling));
  }

  #logLeft(): void {
    const { kept, unwritten } = this.#spool.left();
    const left = { kept, lost: unwritten, bytes: this.#spool.bytes() };
    if (unwritten > 0)
      this.#log.error(
        left,
        'visits that only memory held are lost: neither the database nor the disk took them',
      );
    else if (left.bytes > 0)
      this.#log.warn(left, 'visits stay in the spool until the next start: the database did not take them');
  }
}

function batchOf(visits: Visit[], hashVisitor: HashVisitor): Omit<Batch, 'lane' | 'number'> {
  return { size: visits.length, at: visits[0]?.at ?? 0, visits: serializeVisits(visits, hashVisitor) };
}

function acknowledgeAll(batch: Queued[]): void {
  for (const { acknowledge } of batch) acknowledge();
}

function newLane(): Lane {
  return { id: randomUUID(), number: 0, run: undefined };
}
