import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { daysOf, type Visit, writeBatch } from './batch';
import { createCodeOwners } from './code-owners';
import { inTime } from './in-time';
import { createNotices } from './notices';
import { createVisitors } from './visitors';

export interface VisitRecorder {
  /**
   * Takes a visit; resolves when it has committed, or after 25 ms when the database is slow or away. It stays queued
   * until it is written. Never rejects.
   */
  record(visit: Visit): Promise<void>;
  /** Resolves when every visit that was taken is written. */
  idle(): Promise<void>;
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
  const owners = createCodeOwners(db);
  const notices = createNotices(deps);
  const lanes = Array.from({ length: db.engine === 'pglite' ? 1 : 2 }, newLane);
  const closing = new AbortController();
  let queue: Queued[] = [];
  let isWoken = false;
  let hasGivenUp = false;
  let waiting = 0;
  let failing = 0;
  let dropped = 0;

  function record(visit: Visit): Promise<void> {
    return new Promise((answer) => {
      // While writing fails there is nothing to wait for.
      const timer = failing > 0 ? undefined : setTimeout(answer, ANSWER_MS);
      if (!timer) answer();
      queue.push({ visit, answer, timer });
      waiting += 1;
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
    let written: Queued[] = [];
    while (queue.length > 0 && !hasGivenUp) {
      const batch = take();
      const writing = write(lane, batch);
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

  async function write(lane: Lane, batch: Queued[]): Promise<void> {
    const visits = batch.map(({ visit }) => visit);
    let statement: Statement | undefined;
    lane.batch += 1;
    for (let failures = 0; ; failures += 1) {
      try {
        statement ??= await prepare(lane, visits);
        await db.query(statement);
        waiting -= visits.length;
        if (failures > 0) recover();
        notices.tell(visits);
        return;
      } catch (error) {
        if (failures === 0) failing += 1;
        // Long after, its persons can no longer be told from those already counted.
        statement = undefined;
        log.warn({ err: error, waiting }, 'visits could not be written and are kept');
        await pause(Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS));
        if (hasGivenUp) return;
      }
    }
  }

  async function prepare(lane: Lane, visits: Visit[]): Promise<Statement> {
    const [numberOf, ownersOf] = [await visitors.onDays(daysOf(visits)), await owners.of(visits)];
    return writeBatch(lane.id, lane.batch, visits, numberOf, ownersOf);
  }

  function recover(): void {
    failing -= 1;
    log.info({ waiting }, 'visits are written again');
  }

  function pause(ms: number): Promise<void> {
    if (closing.signal.aborted) return delay(FIRST_RETRY_MS);
    return delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  function dropOldest(): void {
    answer(queue.splice(0, DROPPED_AT_ONCE));
    waiting -= DROPPED_AT_ONCE;
    dropped += DROPPED_AT_ONCE;
    log.error({ dropped }, 'too many visits wait for the database: the oldest were dropped');
  }

  async function idle(): Promise<void> {
    while (waiting > 0 && !hasGivenUp) {
      wake();
      await Promise.all(lanes.map((lane) => lane.run));
    }
  }

  async function close(): Promise<void> {
    closing.abort();
    await inTime(idle().then(notices.close), CLOSE_MS).catch((error: unknown) => {
      hasGivenUp = true;
      log.error({ err: error, visits: waiting }, 'visits were lost: the database did not come back');
    });
  }

  return { record, idle, close };
}

function answer(batch: Queued[]): void {
  for (const { answer, timer } of batch) {
    clearTimeout(timer);
    answer();
  }
}

function newLane(): Lane {
  return { id: randomUUID(), batch: 0, run: undefined };
}
