import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { createVisitCounter } from '#host/visits/count/count';
import { type Batch, daysOf, insertBatch, serializeVisits } from '#host/visits/count/journal';
import { createVisitorSalts, type HashVisitor } from '#host/visits/count/visitor-salts';
import { createSender } from '#host/visits/spool/sender';
import { createSpool } from '#host/visits/spool/spool';
import type { Visit } from './classify';

export interface VisitRecorder {
  /**
   * Resolves when the visit is committed to the journal, or if that takes longer than 25 ms, when it is in a synced
   * file. It is counted soon after, or once the database is back. Never rejects.
   */
  record(visit: Visit): Promise<void>;
  /**
   * Takes over visits that other processes left in the journal over `ms` ago or in the spool. Resolves when they are
   * listed; they are counted soon after.
   */
  claimStale(ms: number): Promise<void>;
  /** Visits that were sent from the spool since it was last empty, and how long ago that was. */
  backlog(): { visits: number; seconds: number };
  /** Bytes of visits in the spool that are not in the database. */
  spooledBytes(): number;
  /** Visits since the start that were served but will not be counted, for lack of space. */
  lostVisits(): number;
  /** Resolves when every recorded or claimed visit is counted. */
  idle(): Promise<void>;
  /** Writes and counts what is queued; what the database does not take in `ms` milliseconds stays in the spool. */
  close(ms?: number): Promise<void>;
}

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
export function createVisitRecorder(
  deps: Pick<Deps, 'db' | 'log' | 'clock' | 'random' | 'visits'>,
): VisitRecorder {
  const { db, log } = deps;
  const salts = createVisitorSalts(deps);
  const counter = createVisitCounter(deps);
  const spool = createSpool(deps);
  const sender = createSender(deps, spool, counter);
  const lanes = [newLane(), newLane()];
  const spoolings = new Set<Promise<void>>();
  let queue: Queued[] = [];
  let queuedAt = 0;
  let queueTimer: NodeJS.Timeout | undefined;
  let isWakeScheduled = false;
  let isClosing = false;

  function record(visit: Visit): Promise<void> {
    return new Promise((acknowledge) => {
      if (queue.length === 0) queuedAt = performance.now();
      queue.push({ visit, acknowledge });
      queueTimer ??= setTimeout(checkQueue, SPOOL_AFTER_MS);
      if (isWakeScheduled) return;
      isWakeScheduled = true;
      setImmediate(wake);
    });
  }

  function wake(): void {
    isWakeScheduled = false;
    // No use in waiting while the database is down.
    if (sender.isDatabaseDown()) spoolQueue();
    for (const lane of lanes) {
      lane.run ??= run(lane).finally(() => {
        lane.run = undefined;
      });
    }
  }

  async function run(lane: Lane): Promise<void> {
    let written: Queued[] = [];
    while (queue.length > 0 && !sender.isDatabaseDown()) {
      const queuedSince = queuedAt;
      const batch = takeBatch();
      const writing = write(lane, batch, queuedSince);
      // Start the next write before acknowledging, so that the database is never idle.
      acknowledgeAll(written);
      await writing;
      written = batch;
      if (queue.length === 0) {
        acknowledgeAll(written);
        written = [];
        await nextTurn();
      }
    }
    acknowledgeAll(written);
  }

  function takeBatch(): Queued[] {
    if (queue.length > MAX_BATCH_VISITS) return queue.splice(0, MAX_BATCH_VISITS);
    const batch = queue;
    queue = [];
    return batch;
  }

  /** Resolves when the visits are in the journal or in the spool. */
  async function write(lane: Lane, queued: Queued[], queuedSince: number): Promise<void> {
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
      spooling ??= salts
        .loadOffline(daysOf(visits))
        .then((hashVisitor) => withDiskTimeout(spool.hold(prepare(hashVisitor))))
        .then(() => acknowledgeAll(queued));
    };
    const timer = setTimeout(spoolBatch, Math.max(0, queuedSince + SPOOL_AFTER_MS - performance.now()));
    try {
      const hashVisitor = await salts.load(daysOf(visits));
      const [row] = await db.query<{ id: number }>(insertBatch(prepare(hashVisitor)));
      if (row) counter.add(row.id, visits.length, isClosing);
      // An earlier attempt was committed without its reply arriving.
      else counter.claimUnannounced();
      clearTimeout(timer);
      // They are safe: neither their acknowledgement nor the lane waits for a slow disk.
      if (spooling) track(afterSpooling(spooling, () => batch && spool.sent(batch)));
    } catch (error) {
      clearTimeout(timer);
      // The lane is abandoned: its later batches must not overtake the failed one.
      Object.assign(lane, { id: randomUUID(), number: 0 });
      sender.failed(error);
      spoolBatch();
      wake();
      if (spooling) await afterSpooling(spooling, () => batch && spool.release(batch));
    }
  }

  /** Reports the outcome of a batch once it is in the spool, and lets the sender send or skip it. */
  async function afterSpooling(spooling: Promise<void>, report: () => void): Promise<void> {
    await spooling;
    report();
    sender.send();
  }

  function checkQueue(): void {
    queueTimer = undefined;
    if (queue.length === 0) return;
    const remainingMs = queuedAt + SPOOL_AFTER_MS - performance.now();
    if (remainingMs <= 1) spoolQueue();
    else queueTimer = setTimeout(checkQueue, remainingMs);
  }

  function spoolQueue(): void {
    while (queue.length > 0) {
      const batch = takeBatch();
      const visits = batch.map(({ visit }) => visit);
      const spooling = salts
        .loadOffline(daysOf(visits))
        .then((hashVisitor) => withDiskTimeout(spool.add(batchOf(visits, hashVisitor))))
        .then(() => {
          acknowledgeAll(batch);
          sender.send();
        });
      track(spooling);
    }
  }

  /** Lets `idle` and `close` wait for it. */
  function track(spooling: Promise<void>): void {
    spoolings.add(spooling);
    spooling.then(() => spoolings.delete(spooling));
  }

  async function claimStale(ms: number): Promise<void> {
    await spool.claimStale();
    sender.send();
    await counter.claimStale(ms);
  }

  async function idle(): Promise<void> {
    while (queue.length > 0 || lanes.some(({ run }) => run) || spoolings.size > 0 || sender.isSending()) {
      wake();
      await Promise.all([...lanes.map(({ run }) => run), ...spoolings, sender.idle(), nextTurn()]);
    }
    await counter.idle();
  }

  async function close(ms = CLOSE_TIMEOUT_MS): Promise<void> {
    isClosing = true;
    sender.expedite();
    await withTimeout(idle(), ms - LAST_CLOSE_MS).catch(() => undefined);
    clearTimeout(queueTimer);
    sender.close();
    await spool.close();
    logLeft();
    await withTimeout(counter.close(), COUNTER_CLOSE_TIMEOUT_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'visits stay in the journal until the next start'),
    );
  }

  function logLeft(): void {
    const { kept, unwritten } = spool.left();
    const left = { kept, lost: unwritten, bytes: spool.bytes() };
    if (unwritten > 0)
      log.error(left, 'visits that only memory held are lost: neither the database nor the disk took them');
    else if (left.bytes > 0)
      log.warn(left, 'visits stay in the spool until the next start: the database did not take them');
  }

  return {
    record,
    claimStale,
    backlog: sender.backlog,
    spooledBytes: spool.bytes,
    lostVisits: spool.lost,
    idle,
    close,
  };
}

function batchOf(visits: Visit[], hashVisitor: HashVisitor): Omit<Batch, 'lane' | 'number'> {
  return { size: visits.length, at: visits[0]?.at ?? 0, visits: serializeVisits(visits, hashVisitor) };
}

/** Resolves when the write is done, or takes too long. */
function withDiskTimeout(writing: Promise<void>): Promise<void> {
  return withTimeout(writing, DISK_TIMEOUT_MS).catch(() => undefined);
}

function acknowledgeAll(batch: Queued[]): void {
  for (const { acknowledge } of batch) acknowledge();
}

function newLane(): Lane {
  return { id: randomUUID(), number: 0, run: undefined };
}
