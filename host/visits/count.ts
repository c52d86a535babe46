import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Database } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { countVisits, type Found } from './count-statement';
import { type JournaledVisit, parseVisits } from './journal';
import { createNotifier } from './notifier';
import type { CodeOwner } from './sums';

export interface VisitCounter {
  /** Counts, soon, the batch of `size` visits that is in the journal as row `id`. */
  add(id: number, size: number): void;
  /**
   * Counts, soon, what has been in the journal for longer than `ms`: left by programs that are gone, or are too slow.
   * Resolves when it is known what there is.
   */
  claimStale(ms: number): Promise<void>;
  /** Counts, soon, rows that came into the journal without anybody hearing of it. */
  claimUnheard(): void;
  /** Resolves when everything that was added or adopted is counted. */
  idle(): Promise<void>;
  /** Stops counting; what is not counted stays in the journal. */
  close(): Promise<void>;
}

interface Batch {
  id: number;
  size: number;
  /** When it came into the journal, by `performance.now()`. */
  keptAt: number;
  /** Could not be counted with others, so that it is tried by itself. */
  isDoubtful?: boolean;
}

/**
 * How many visits are counted at once, and how far apart the beginnings are at least. The embedded database has one
 * session, so answers wait for as long as a count takes: it has less to do, and pauses for as long as it took.
 */
const PACES = {
  pglite: { visits: 400, everyMs: 40, share: 0.5 },
  postgres: { visits: 1_000, everyMs: 50, share: 1 },
};
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5_000;
const LISTED = 10_000;

/** Counting is behind from here on, and says so this often. */
const BEHIND_MS = 10_000;
const TELL_MS = 30_000;

const LIST = `select id, size, 1000 * extract(epoch from now() - at)::float8 as "ageMs" from visit_journal
  where at <= now() - $1::int * interval '1 millisecond'
  order by id limit ${LISTED}`;
const READ = 'select id, visits from visit_journal where id = any ($1::bigint[]) order by id';

/**
 * Moves visits from the journal into the counters, many at a time: what a statement of eighteen parts costs by itself is
 * then shared by many visits. Any program may count any row; each is counted once.
 */
export function createVisitCounter({ db, log }: Pick<Deps, 'db' | 'log'>): VisitCounter {
  const owners = createCodeOwners(db);
  const notices = createNotifier({ db, log });
  const pace = PACES[db.engine];
  const closing = new AbortController();
  const waiting: Batch[] = [];
  let counting: Batch[] = [];
  let running: Promise<void> | undefined;
  let hurried = 0;
  let hurry = () => {};
  let nextAt = 0;
  let isUnheard = false;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function add(id: number, size: number): void {
    waiting.push({ id, size, keptAt: performance.now() });
    start();
  }

  async function claimStale(ms: number): Promise<void> {
    const left = await db.query<{ id: number; size: number; ageMs: number }>({
      name: 'visits_left',
      text: LIST,
      values: [ms],
    });
    const known = new Set([...waiting, ...counting].map(({ id }) => id));
    for (const { id, size, ageMs } of left) {
      if (!known.has(id)) waiting.push({ id, size, keptAt: performance.now() - ageMs });
    }
    start();
  }

  function claimUnheard(): void {
    isUnheard = true;
    start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      if (hasWork()) start();
    });
  }

  function hasWork(): boolean {
    return (waiting.length > 0 || isUnheard) && !closing.signal.aborted;
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (hasWork()) {
      if (isUnheard) await listUnheard();
      if (waiting.length === 0) {
        failures += 1;
        if (isUnheard) await retreat(failures);
        continue;
      }
      await pause();
      const began = performance.now();
      logDelay(began);
      counting = take();
      const isDone = await count(counting);
      const ended = performance.now();
      failures = isDone ? 0 : failures + 1;
      if (isDone) nextAt = Math.max(began + pace.everyMs, ended + (ended - began) * (1 / pace.share - 1));
      // To the end, and apart, so that they hold up nothing else.
      else for (const batch of counting) waiting.push({ ...batch, isDoubtful: true });
      counting = [];
      if (!isDone) await retreat(failures);
    }
  }

  async function listUnheard(): Promise<void> {
    // Before it is asked: what comes in during the answer is not in it.
    isUnheard = false;
    try {
      await claimStale(0);
    } catch (error) {
      isUnheard = true;
      log.warn({ err: error }, 'the journal could not be looked through');
    }
  }

  function logDelay(now: number): void {
    const delayMs = now - (waiting[0]?.keptAt ?? now);
    if (delayMs < BEHIND_MS || now - loggedAt < TELL_MS) return;
    loggedAt = now;
    const visits = waiting.reduce((sum, { size }) => sum + size, 0);
    log.info({ visits, seconds: Math.round(delayMs / 1_000) }, 'counting is behind');
  }

  async function pause(): Promise<void> {
    const ms = nextAt - performance.now();
    if (ms <= 0 || hurried > 0) return;
    await new Promise<void>((go) => {
      const timer = setTimeout(go, ms);
      hurry = () => {
        clearTimeout(timer);
        go();
      };
    });
  }

  async function retreat(failures: number): Promise<void> {
    const ms = hurried > 0 ? FIRST_RETRY_MS : Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  function take(): Batch[] {
    let size = 0;
    let count = 0;
    for (const batch of waiting) {
      if (count > 0 && (batch.isDoubtful || size + batch.size > pace.visits)) break;
      size += batch.size;
      count += 1;
      if (batch.isDoubtful) break;
    }
    return waiting.splice(0, count);
  }

  /** Answers whether none of these is left to count. */
  async function count(batches: Batch[]): Promise<boolean> {
    try {
      return await countRows(batches.map(({ id }) => id));
    } catch (error) {
      log.warn({ err: error }, 'visits could not be counted and stay in the journal');
      return false;
    }
  }

  async function countRows(ids: number[]): Promise<boolean> {
    const rows = await db.query<{ id: number; visits: string }>({
      name: 'visits_read',
      text: READ,
      values: [ids],
    });
    if (rows.length === 0) return true;
    const visits = rows.flatMap((row) => parseVisits(row.visits));
    const { statement, expected } = countVisits(
      rows.map(({ id }) => id),
      visits,
      await owners.of(visits),
    );
    const [found] = await db.query<Found>(statement);
    if (found?.rows === expected.rows && found.accounts === expected.accounts) {
      notices.tell(visits);
      return true;
    }
    owners.forget(visits.flatMap(({ codeId }) => codeId ?? []));
    return false;
  }

  async function idle(): Promise<void> {
    hurried += 1;
    hurry();
    while (running && !closing.signal.aborted) await running;
    hurried -= 1;
  }

  async function close(): Promise<void> {
    closing.abort();
    hurry();
    await running;
    await notices.close();
  }

  return { add, claimStale, claimUnheard, idle, close };
}

interface CodeOwners {
  /** The owners of all codes among these visits. A code that is not there has none, nor has one of an erased account. */
  of(visits: JournaledVisit[]): Promise<ReadonlyMap<string, CodeOwner>>;
  /** The owners of these codes are read again the next time: one of them may have been erased. */
  forget(codeIds: Iterable<string>): void;
}

interface Row {
  id: string;
  account_id: string;
  type: string;
}

const SELECT = `select codes.id, account_id, type from codes join accounts on accounts.id = account_id
  where codes.id = any ($1::uuid[]) and accounts.deleted_at is null`;

function createCodeOwners({ query }: Pick<Database, 'query'>): CodeOwners {
  const known = new LRUCache<string, CodeOwner>({ max: 50_000 });

  return {
    async of(visits) {
      const owners = new Map<string, CodeOwner>();
      const unknown = new Set<string>();
      for (const { codeId } of visits) {
        if (codeId === null || owners.has(codeId)) continue;
        const owner = known.get(codeId);
        if (owner) owners.set(codeId, owner);
        else unknown.add(codeId);
      }
      if (unknown.size === 0) return owners;
      const rows = await query<Row>({ name: 'code_owners', text: SELECT, values: [[...unknown]] });
      for (const { id, account_id, type } of rows) {
        const owner = { accountId: account_id, type };
        owners.set(id, owner);
        known.set(id, owner);
      }
      return owners;
    },
    forget(codeIds) {
      for (const id of codeIds) known.delete(id);
    },
  };
}
