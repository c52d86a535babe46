import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import { createCodeOwners } from './code-owners';
import { type JournaledVisit, parseVisits } from './journal';
import { createNotifier } from './notifier';
import { type CountResult, countVisits, findUncounted } from './statement';

export interface VisitCounter {
  /** Queues row `id` of the journal, a batch of `size` visits. Those of an uncertain one may already be counted. */
  add(id: number, size: number, isUncertain?: boolean): void;
  /**
   * Queues rows that have been in the journal for longer than `ms`, left by processes that died or are too slow.
   * Resolves when they are listed.
   */
  claimStale(ms: number): Promise<void>;
  /** Queues rows of the journal that were never passed to `add`. */
  claimUnannounced(): void;
  /** Resolves when everything that was queued is counted. */
  idle(): Promise<void>;
  /** Stops counting; the rest stays in the journal. */
  close(): Promise<void>;
}

interface Batch {
  id: number;
  size: number;
  /** When it was inserted into the journal, by `performance.now()`. */
  insertedAt: number;
  /** Its visits may not have been answered: another process recorded them, or this one is stopping. */
  isUncertain?: boolean | undefined;
  /** Counting it together with others failed. */
  mustRetryAlone?: boolean;
}

/** How many visits are counted at once, and the shortest time from one count to the next. */
const MAX_COUNTED = 1_000;
const INTERVAL_MS = 50;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 5_000;
const LIST_LIMIT = 10_000;

/** From this delay on counting is logged as behind, this often. */
const BEHIND_MS = 10_000;
const LOG_EVERY_MS = 30_000;

const LIST = `select id, size, 1000 * extract(epoch from now() - at)::float8 as "ageMs" from visit_journal
  where at <= now() - $1::int * interval '1 millisecond' and id <> all ($2::bigint[])
  order by id limit ${LIST_LIMIT}`;
const READ = 'select id, visits from visit_journal where id = any ($1::bigint[]) order by id';

/**
 * Moves visits from the journal into the counters, many at a time to share the fixed cost of the large statement. Any
 * process may count any row; each is counted once.
 */
export function createVisitCounter({ db, log, clock }: Pick<Deps, 'db' | 'log' | 'clock'>): VisitCounter {
  const owners = createCodeOwners(db);
  const notifier = createNotifier({ db, log });
  const closing = new AbortController();
  const waiting: Batch[] = [];
  let counting: Batch[] = [];
  /** Rows that stay in the journal for an operator, or for a host of another release. */
  const uncountable = new Set<number>();
  let running: Promise<void> | undefined;
  let expedited = 0;
  let expedite = () => {};
  let nextAt = 0;
  let hasUnannounced = false;
  let loggedAt = Number.NEGATIVE_INFINITY;

  function add(id: number, size: number, isUncertain = false): void {
    waiting.push({ id, size, insertedAt: performance.now(), isUncertain });
    start();
  }

  async function claimStale(ms: number): Promise<void> {
    const rows = await db.query<{ id: number; size: number; ageMs: number }>({
      name: 'visits_list',
      text: LIST,
      values: [ms, [...uncountable]],
    });
    const known = new Set([...waiting, ...counting].map(({ id }) => id));
    for (const { id, size, ageMs } of rows) {
      if (known.has(id)) continue;
      waiting.push({ id, size, insertedAt: performance.now() - ageMs, isUncertain: true });
    }
    start();
  }

  function claimUnannounced(): void {
    hasUnannounced = true;
    start();
  }

  function start(): void {
    running ??= run().finally(() => {
      running = undefined;
      if (hasWork()) start();
    });
  }

  function hasWork(): boolean {
    return (waiting.length > 0 || hasUnannounced) && !closing.signal.aborted;
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (hasWork()) {
      if (hasUnannounced) await listUnannounced();
      if (waiting.length === 0) {
        failures += 1;
        if (hasUnannounced) await backOff(failures);
        continue;
      }
      await pause();
      const startedAt = performance.now();
      logDelay(startedAt - (waiting[0]?.insertedAt ?? startedAt), startedAt);
      counting = takeBatches();
      const outcome = await count(counting);
      const isDone = outcome === 'done';
      failures = outcome === 'failed' ? failures + 1 : 0;
      if (isDone) nextAt = startedAt + INTERVAL_MS;
      // Retried last and one by one, so that they do not block the others.
      else for (const batch of counting) waiting.push({ ...batch, mustRetryAlone: true });
      counting = [];
      if (outcome === 'failed') await backOff(failures);
    }
  }

  async function listUnannounced(): Promise<void> {
    // Reset before the query, which may miss rows inserted while it runs.
    hasUnannounced = false;
    try {
      await claimStale(0);
    } catch (error) {
      hasUnannounced = true;
      log.warn({ err: error }, 'the journal could not be listed');
    }
  }

  function logDelay(delayMs: number, now: number): void {
    if (delayMs < BEHIND_MS || now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    const visits = waiting.reduce((sum, { size }) => sum + size, 0);
    log.info({ visits, seconds: Math.round(delayMs / 1_000) }, 'counting is behind');
  }

  async function pause(): Promise<void> {
    const ms = nextAt - performance.now();
    if (ms <= 0 || expedited > 0) return;
    await new Promise<void>((resume) => {
      const timer = setTimeout(resume, ms);
      expedite = () => {
        clearTimeout(timer);
        resume();
      };
    });
  }

  async function backOff(failures: number): Promise<void> {
    const ms = expedited > 0 ? FIRST_RETRY_MS : Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    await delay(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  function takeBatches(): Batch[] {
    let size = 0;
    let count = 0;
    for (const batch of waiting) {
      if (count > 0 && (batch.mustRetryAlone || size + batch.size > MAX_COUNTED)) break;
      size += batch.size;
      count += 1;
      if (batch.mustRetryAlone) break;
    }
    return waiting.splice(0, count);
  }

  /** `split` if one of several rows is at fault, and not the database. */
  async function count(batches: Batch[]): Promise<'done' | 'failed' | 'split'> {
    try {
      return (await countRows(batches)) ? 'done' : 'failed';
    } catch (error) {
      if (!isAboutContent(error)) {
        log.warn({ err: error }, 'visits could not be counted and stay in the journal');
        return 'failed';
      }
      const [batch, ...others] = batches;
      if (!batch || others.length > 0) return 'split';
      uncountable.add(batch.id);
      log.error(
        { err: error, row: batch.id, visits: batch.size },
        'visits cannot be counted: their row stays in visit_journal until another host or the next start tries it',
      );
      return 'done';
    }
  }

  async function countRows(batches: Batch[]): Promise<boolean> {
    const rows = await db.query<{ id: number; visits: string }>({
      name: 'visits_read',
      text: READ,
      values: [batches.map(({ id }) => id)],
    });
    if (rows.length === 0) return true;
    const uncertainIds = new Set(batches.filter(({ isUncertain }) => isUncertain).map(({ id }) => id));
    const now = clock.now();
    const certain: JournaledVisit[] = [];
    const uncertain: JournaledVisit[] = [];
    for (const row of rows) {
      const isUncertain = uncertainIds.has(row.id);
      for (const visit of parseVisits(row.visits, now))
        (isUncertain || visit.isResent ? uncertain : certain).push(visit);
    }
    const uncounted = await findUncounted(db, uncertain);
    const visits = [...certain, ...uncounted];
    const { statement, expected } = countVisits(
      rows.map(({ id }) => id),
      visits,
      await owners.of(visits),
      uncounted.flatMap(({ id }) => id ?? []),
    );
    const [counted] = await db.query<CountResult>(statement);
    if (counted?.rows === expected.rows && counted.accounts === expected.accounts) {
      notifier.notify(visits);
      return true;
    }
    owners.invalidate(visits.flatMap(({ codeId }) => codeId ?? []));
    return false;
  }

  async function idle(): Promise<void> {
    expedited += 1;
    expedite();
    while (running && !closing.signal.aborted) await running;
    expedited -= 1;
  }

  async function close(): Promise<void> {
    closing.abort();
    expedite();
    await running;
    await notifier.close();
  }

  return { add, claimStale, claimUnannounced, idle, close };
}

/** Whether the visits are rejected, by JavaScript or as data (SQLSTATE 22, 23502), so that trying again is no use. */
function isAboutContent(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  return error instanceof Error && 'code' in error && /^(22...|23502)$/.test(String(error.code));
}
