import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { isVisitor, type Visit, writeBatch } from './batch';
import { createNotices } from './notices';
import { createVisitors, dayOf } from './visitors';

export interface VisitRecorder {
  /**
   * Takes a visit; resolves when it has committed, or after 25 ms when the database is slow or away. It stays queued
   * until it is written. Never rejects.
   */
  record(visit: Visit): Promise<void>;
  /** Writes what is queued; resolves when nothing is left, or after 5 seconds without the database. */
  close(): Promise<void>;
}

interface Queued {
  visit: Visit;
  answer: () => void;
  timer: NodeJS.Timeout | undefined;
}

interface Lane {
  id: string;
  batch: number;
  run: Promise<void> | undefined;
}

const ANSWER_MS = 25;
const BATCH_VISITS = 1_000;
const QUEUE_VISITS = 200_000;
const DROPPED_AT_ONCE = 10_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
const CLOSE_MS = 5_000;

/**
 * Group commit: a batch closes when the one before it has committed, so it is as large as the load makes it and no
 * visit waits for a timer. A server takes a second batch while it flushes the first.
 */
export function createVisitRecorder(deps: Pick<Deps, 'db' | 'log' | 'random'>): VisitRecorder {
  const { db, log } = deps;
  const visitors = createVisitors(deps);
  const notices = createNotices(deps);
  const lanes = Array.from({ length: db.engine === 'pglite' ? 1 : 2 }, newLane);
  const closing = new AbortController();
  let queue: Queued[] = [];
  let isWoken = false;
  let hasGivenUp = false;
  let failing = 0;
  let dropped = 0;

  function record(visit: Visit): Promise<void> {
    return new Promise((answer) => {
      // While writing fails there is nothing to wait for.
      const timer = failing > 0 ? undefined : setTimeout(answer, ANSWER_MS);
      if (!timer) answer();
      queue.push({ visit, answer, timer });
      if (queue.length > QUEUE_VISITS) dropOldest();
      if (!isWoken) {
        isWoken = true;
        setImmediate(wake);
      }
    });
  }

  function wake(): void {
    isWoken = false;
    for (const lane of lanes) {
      lane.run ??= run(lane).finally(() => {
        lane.run = undefined;
      });
    }
  }

  async function run(lane: Lane): Promise<void> {
    while (queue.length > 0 && !hasGivenUp) {
      const batch = take();
      await write(
        lane,
        batch.map(({ visit }) => visit),
      );
      for (const { answer, timer } of batch) {
        clearTimeout(timer);
        answer();
      }
      // The answers go out and the next requests come in before the next batch closes.
      await nextTurn();
    }
  }

  function take(): Queued[] {
    if (queue.length > BATCH_VISITS) return queue.splice(0, BATCH_VISITS);
    const taken = queue;
    queue = [];
    return taken;
  }

  async function write(lane: Lane, visits: Visit[]): Promise<void> {
    let statement: Statement | undefined;
    lane.batch += 1;
    for (let failures = 0; ; failures += 1) {
      try {
        statement ??= await prepare(lane, visits);
        await db.query(statement);
        if (failures > 0) recover(queue.length);
        notices.tell(visits);
        return;
      } catch (error) {
        if (failures === 0) failing += 1;
        log.warn(
          { err: error, waiting: queue.length + visits.length },
          'visits could not be written and are kept',
        );
        await pause(Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
        if (!hasGivenUp) continue;
        log.error({ visits: visits.length }, 'visits were lost: the database did not come back');
        return;
      }
    }
  }

  async function prepare(lane: Lane, visits: Visit[]): Promise<Statement> {
    const days = new Set(visits.filter(isVisitor).map(({ at }) => dayOf(at)));
    return writeBatch(lane.id, lane.batch, visits, await visitors.onDays(days));
  }

  function recover(waiting: number): void {
    failing -= 1;
    log.info({ waiting }, 'visits are written again');
  }

  function pause(ms: number): Promise<void> {
    if (closing.signal.aborted) return delay(FIRST_RETRY_MS);
    return delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  function dropOldest(): void {
    for (const { answer, timer } of queue.splice(0, DROPPED_AT_ONCE)) {
      clearTimeout(timer);
      answer();
    }
    dropped += DROPPED_AT_ONCE;
    log.error({ dropped }, 'too many visits wait for the database: the oldest were dropped');
  }

  async function close(): Promise<void> {
    const giveUp = setTimeout(() => {
      hasGivenUp = true;
    }, CLOSE_MS);
    closing.abort();
    while (queue.length > 0 && !hasGivenUp) {
      wake();
      await Promise.all(lanes.map((lane) => lane.run));
    }
    await Promise.all(lanes.map((lane) => lane.run));
    clearTimeout(giveUp);
    if (queue.length > 0)
      log.error({ visits: queue.length }, 'visits were lost: the database did not come back');
    await notices.close();
  }

  return { record, close };
}

function newLane(): Lane {
  return { id: randomUUID(), batch: 0, run: undefined };
}
