import { randomUUID } from 'node:crypto';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { keepBatch } from './batch';
import { createVisitCounter } from './counter';
import { inTime } from './in-time';
import { daysOf } from './kept-visit';
import type { Visit } from './visit';
import { createVisitors } from './visitors';

export interface VisitRecorder {
  /**
   * Takes a visit; resolves when it is committed to the journal, or after 25 ms when the database is slow or away. It
   * stays queued until it is written, and is counted a moment later. Never rejects.
   */
  record(visit: Visit): Promise<void>;
  /** Counts what other programs left in the journal longer than `ms` ago; resolves when it is known what there is. */
  adopt(ms: number): Promise<void>;
  /** Resolves when every visit that was taken or adopted is counted. */
  idle(): Promise<void>;
  /** Writes and counts what is queued; resolves when nothing is left, or after 5 seconds without the database. */
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
const CLOSE_MS = 4_500;
const COUNTER_MS = 500;

/**
 * Group commit: a batch closes when the one before it has committed, so it is as large as the load makes it and no
 * visit waits for a timer. A server takes a second batch while it flushes the first. What is committed is a row of the
 * journal; the counters follow.
 */
export function createVisitRecorder(deps: Pick<Deps, 'db' | 'log' | 'random'>): VisitRecorder {
  const { db, log } = deps;
  const visitors = createVisitors(deps);
  const counter = createVisitCounter(deps);
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
        const [kept] = await db.query<{ id: number }>(statement);
        if (kept) counter.add(kept.id, visits.length);
        // It was kept before, and nobody heard of it.
        else await counter.adopt(0);
        waiting -= visits.length;
        if (failures > 0) recover();
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
    return keepBatch(lane.id, lane.batch, visits, await visitors.onDays(daysOf(visits)));
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
    await counter.idle();
  }

  async function close(): Promise<void> {
    closing.abort();
    await inTime(idle(), CLOSE_MS).catch((error: unknown) => {
      hasGivenUp = true;
      if (waiting > 0)
        log.error({ err: error, visits: waiting }, 'visits were lost: the database did not come back');
    });
    await inTime(counter.close(), COUNTER_MS).catch((error: unknown) =>
      log.warn({ err: error }, 'visits stay in the journal until the next start'),
    );
  }

  return { record, adopt: counter.adopt, idle, close };
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
