import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import { withTimeout } from '#host/http/timeout';
import type { Visit } from './classify';
import { createVisitCounter } from './count';
import { type Batch, daysOf, insertBatch, serializeVisits } from './journal';
import { createSender } from './sender';
import { createSpool } from './spool';
import { createVisitors, type NumberVisitor } from './visitors';

export interface VisitRecorder {
  /**
   * Takes a visit; resolves when it is committed to the journal, or else, from 25 ms on, when it is in a synced file. It
   * is counted a moment later, or when the database is back. Never rejects.
   */
  record(visit: Visit): Promise<void>;
  /**
   * Counts what other programs left in the journal longer than `ms` ago, and what they left in the spool; resolves when
   * it is known what there is.
   */
  claimStale(ms: number): Promise<void>;
  /** How many visits this program has answered and not yet brought into the database, and for how long. */
  behind(): { visits: number; seconds: number };
  /** Bytes of visits in the spool that are not in the database. */
  spooledBytes(): number;
  /** Resolves when every visit that was taken or adopted is counted. */
  idle(): Promise<void>;
  /** Writes and counts what is queued; after 5 seconds without the database the rest stays in the spool. */
  close(): Promise<void>;
}

interface Queued {
  visit: Visit;
  answer: () => void;
}

interface Lane {
  id: string;
  number: number;
  run: Promise<void> | undefined;
}

const ANSWER_MS = 25;
/** A disk that takes longer is broken; a scan goes on without it. */
const DISK_MS = 2_000;
const BATCH_VISITS = 1_000;
const CLOSE_MS = 4_500;
const COUNTER_MS = 500;

/**
 * Group commit: a batch closes when the one before it has committed, so it is as large as the load makes it and no
 * visit waits for a timer. A server takes a second batch while it flushes the first. What is committed is a row of the
 * journal; the counters follow. What is not committed in time is put on the disk before it is answered.
 */
export function createVisitRecorder(
  deps: Pick<Deps, 'db' | 'log' | 'clock' | 'random' | 'visits'>,
): VisitRecorder {
  const { db, log } = deps;
  const visitors = createVisitors(deps);
  const counter = createVisitCounter(deps);
  const spool = createSpool(deps);
  const sender = createSender(deps, spool, counter);
  const lanes = Array.from({ length: db.engine === 'pglite' ? 1 : 2 }, newLane);
  const spoolings = new Set<Promise<void>>();
  let queue: Queued[] = [];
  let queuedAt = 0;
  let late: NodeJS.Timeout | undefined;
  let isWoken = false;

  function record(visit: Visit): Promise<void> {
    return new Promise((answer) => {
      if (queue.length === 0) queuedAt = performance.now();
      queue.push({ visit, answer });
      late ??= setTimeout(checkQueue, ANSWER_MS);
      if (isWoken) return;
      isWoken = true;
      setImmediate(wake);
    });
  }

  function wake(): void {
    isWoken = false;
    // While writing fails there is nothing to wait for.
    if (sender.isAway()) spoolQueue();
    for (const lane of lanes) {
      lane.run ??= run(lane).finally(() => {
        lane.run = undefined;
      });
    }
  }

  async function run(lane: Lane): Promise<void> {
    let written: Queued[] = [];
    while (queue.length > 0 && !sender.isAway()) {
      const began = queuedAt;
      const batch = take();
      const writing = write(lane, batch, began);
      // The database is at work again before the answers go out.
      answer(written);
      await writing;
      written = batch;
      if (queue.length === 0) {
        answer(written);
        written = [];
        await nextTurn();
      }
    }
    answer(written);
  }

  function take(): Queued[] {
    if (queue.length > BATCH_VISITS) return queue.splice(0, BATCH_VISITS);
    const taken = queue;
    queue = [];
    return taken;
  }

  /** Resolves when the visits are in the journal or in the spool. */
  async function write(lane: Lane, batch: Queued[], began: number): Promise<void> {
    const visits = batch.map(({ visit }) => visit);
    lane.number += 1;
    const { id, number } = lane;
    let kept: Batch | undefined;
    let spooling: Promise<void> | undefined;
    const prepare = (numberOf: NumberVisitor) => {
      kept ??= { lane: id, number, ...batchOf(visits, numberOf) };
      return kept;
    };
    const spoolIt = () => {
      spooling ??= visitors
        .onDaysAtOnce(daysOf(visits))
        .then((numberOf) => inDisk(spool.hold(prepare(numberOf))))
        .then(() => answer(batch));
    };
    const timer = setTimeout(spoolIt, Math.max(0, began + ANSWER_MS - performance.now()));
    try {
      const numberOf = await visitors.onDays(daysOf(visits));
      const [row] = await db.query<{ id: number }>(insertBatch(prepare(numberOf)));
      if (row) counter.add(row.id, visits.length);
      // It was kept before, and nobody heard of it.
      else counter.claimUnheard();
      clearTimeout(timer);
      if (spooling) await settle(spooling, () => kept && spool.sent(kept));
    } catch (error) {
      clearTimeout(timer);
      // Nothing more is sent on this lane: its batches must not overtake the one that failed.
      Object.assign(lane, { id: randomUUID(), number: 0 });
      sender.failed(error);
      spoolIt();
      wake();
      if (spooling) await settle(spooling, () => kept && spool.release(kept));
    }
  }

  /** What happened to a batch is told when it is in the spool; then there is something to send, or to leave out. */
  async function settle(spooling: Promise<void>, tell: () => void): Promise<void> {
    await spooling;
    tell();
    sender.send();
  }

  function checkQueue(): void {
    late = undefined;
    if (queue.length === 0) return;
    const left = queuedAt + ANSWER_MS - performance.now();
    if (left <= 1) spoolQueue();
    else late = setTimeout(checkQueue, left);
  }

  function spoolQueue(): void {
    while (queue.length > 0) {
      const batch = take();
      const visits = batch.map(({ visit }) => visit);
      const spooling = visitors
        .onDaysAtOnce(daysOf(visits))
        .then((numberOf) => inDisk(spool.take(batchOf(visits, numberOf))))
        .then(() => {
          answer(batch);
          spoolings.delete(spooling);
          sender.send();
        });
      spoolings.add(spooling);
    }
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

  async function close(): Promise<void> {
    sender.hurry();
    await withTimeout(idle(), CLOSE_MS).catch(() =>
      log.warn(
        sender.behind(),
        'visits stay in the spool until the next start: the database did not come back',
      ),
    );
    clearTimeout(late);
    sender.close();
    await spool.close();
    await withTimeout(counter.close(), COUNTER_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'visits stay in the journal until the next start'),
    );
  }

  return { record, claimStale, behind: sender.behind, spooledBytes: spool.bytes, idle, close };
}

function batchOf(visits: Visit[], numberOf: NumberVisitor): Omit<Batch, 'lane' | 'number'> {
  return { size: visits.length, at: visits[0]?.at ?? 0, visits: serializeVisits(visits, numberOf) };
}

/** Resolves when it is on the disk, or the disk takes too long. */
function inDisk(writing: Promise<void>): Promise<void> {
  return withTimeout(writing, DISK_MS).catch(() => undefined);
}

function answer(batch: Queued[]): void {
  for (const { answer } of batch) answer();
}

function newLane(): Lane {
  return { id: randomUUID(), number: 0, run: undefined };
}
