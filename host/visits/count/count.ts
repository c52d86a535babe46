import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { endVisitedCodes } from '#host/codes/routing/visit-ends';
import type { Deps } from '#host/http/deps';
import { PART_VISITS } from './aggregate';
import { type CodeOwners, createCodeOwners } from './code-owners';
import { type JournaledVisit, parseVisits } from './journal';
import { createNotifier, type Notifier } from './notifier';
import { countVisits, findUncounted, NotClaimed } from './statements';

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

/** How many visits are counted at once. Many visits of the same codes share their counters' updates. */
const MAX_COUNTED = 5_000;
/** The shortest time from one count to the next, and from one that counted many. */
const INTERVAL_MS = 50;
const BUSY_INTERVAL_MS = 250;
const MANY_COUNTED = 500;
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
 * Moves visits from the journal into the counters, many at a time to share the fixed cost of a transaction. Any
 * process may count any row; each is counted once.
 */
export class VisitCounter {
  readonly #db: Deps['db'];
  readonly #log: Deps['log'];
  readonly #clock: Deps['clock'];
  readonly #owners: CodeOwners;
  readonly #notifier: Notifier;
  readonly #closing = new AbortController();
  readonly #waiting: Batch[] = [];
  #counting: Batch[] = [];
  /** Rows that stay in the journal for an operator, or for a host of another release. */
  readonly #uncountable = new Set<number>();
  #running: Promise<void> | undefined;
  #expedited = 0;
  #expedite = () => {};
  #nextAt = 0;
  #hasUnannounced = false;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor({ db, log, clock }: Pick<Deps, 'db' | 'log' | 'clock'>) {
    this.#db = db;
    this.#log = log;
    this.#clock = clock;
    this.#owners = createCodeOwners(db);
    this.#notifier = createNotifier({ db, log });
  }

  /** Queues row `id` of the journal, a batch of `size` visits. Those of an uncertain one may already be counted. */
  add(id: number, size: number, isUncertain = false): void {
    this.#waiting.push({ id, size, insertedAt: performance.now(), isUncertain });
    this.#start();
  }

  /**
   * Queues rows that have been in the journal for longer than `ms`, left by processes that died or are too slow.
   * Resolves when they are listed.
   */
  async claimStale(ms: number): Promise<void> {
    const rows = await this.#db.query<{ id: number; size: number; ageMs: number }>({
      name: 'visits_list',
      text: LIST,
      values: [ms, [...this.#uncountable]],
    });
    const known = new Set([...this.#waiting, ...this.#counting].map(({ id }) => id));
    for (const { id, size, ageMs } of rows) {
      if (known.has(id)) continue;
      this.#waiting.push({ id, size, insertedAt: performance.now() - ageMs, isUncertain: true });
    }
    this.#start();
  }

  /** Queues rows of the journal that were never passed to `add`. */
  claimUnannounced(): void {
    this.#hasUnannounced = true;
    this.#start();
  }

  /** Resolves when everything that was queued is counted. */
  async idle(): Promise<void> {
    this.#expedited += 1;
    this.#expedite();
    while (this.#running && !this.#closing.signal.aborted) await this.#running;
    this.#expedited -= 1;
  }

  /** Stops counting; the rest stays in the journal. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#expedite();
    await this.#running;
    await this.#notifier.close();
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#hasWork()) this.#start();
    });
  }

  #hasWork(): boolean {
    return (this.#waiting.length > 0 || this.#hasUnannounced) && !this.#closing.signal.aborted;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#hasWork()) {
      if (this.#hasUnannounced) await this.#listUnannounced();
      if (this.#waiting.length === 0) {
        failures += 1;
        if (this.#hasUnannounced) await this.#backOff(failures);
        continue;
      }
      await this.#pause();
      const startedAt = performance.now();
      this.#logDelay(startedAt - (this.#waiting[0]?.insertedAt ?? startedAt), startedAt);
      this.#counting = this.#takeBatches();
      const outcome = await this.#count(this.#counting);
      const isDone = outcome === 'done';
      failures = outcome === 'failed' ? failures + 1 : 0;
      if (isDone) this.#nextAt = startedAt + intervalAfter(this.#counting);
      // Retried last and one by one, so that they do not block the others.
      else for (const batch of this.#counting) this.#waiting.push({ ...batch, mustRetryAlone: true });
      this.#counting = [];
      if (outcome === 'failed') await this.#backOff(failures);
    }
  }

  async #listUnannounced(): Promise<void> {
    // Reset before the query, which may miss rows inserted while it runs.
    this.#hasUnannounced = false;
    try {
      await this.claimStale(0);
    } catch (error) {
      this.#hasUnannounced = true;
      this.#log.warn({ err: error }, 'the journal could not be listed');
    }
  }

  #logDelay(delayMs: number, now: number): void {
    if (delayMs < BEHIND_MS || now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#loggedAt = now;
    const visits = this.#waiting.reduce((sum, { size }) => sum + size, 0);
    this.#log.info({ visits, seconds: Math.round(delayMs / 1_000) }, 'counting is behind');
  }

  async #pause(): Promise<void> {
    const ms = this.#nextAt - performance.now();
    if (ms <= 0 || this.#expedited > 0) return;
    await new Promise<void>((resume) => {
      const timer = setTimeout(resume, ms);
      this.#expedite = () => {
        clearTimeout(timer);
        resume();
      };
    });
  }

  async #backOff(failures: number): Promise<void> {
    const ms = this.#expedited > 0 ? FIRST_RETRY_MS : Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
    await delay(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }

  /** If it fails, the next visit of such a code ends it. */
  async #endCodes(ids: string[]): Promise<void> {
    await endVisitedCodes(this.#db.orm, ids, this.#clock.now()).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'codes that have enough visits could not be ended yet'),
    );
  }

  #takeBatches(): Batch[] {
    let size = 0;
    let count = 0;
    for (const batch of this.#waiting) {
      if (count > 0 && (batch.mustRetryAlone || size + batch.size > MAX_COUNTED)) break;
      size += batch.size;
      count += 1;
      if (batch.mustRetryAlone) break;
    }
    return this.#waiting.splice(0, count);
  }

  /** `split` if one of several rows is at fault, and not the database. */
  async #count(batches: Batch[]): Promise<'done' | 'failed' | 'split'> {
    try {
      return (await this.#countRows(batches)) ? 'done' : 'failed';
    } catch (error) {
      if (!isAboutContent(error)) {
        this.#log.warn({ err: error }, 'visits could not be counted and stay in the journal');
        return 'failed';
      }
      const [batch, ...others] = batches;
      if (!batch || others.length > 0) return 'split';
      this.#uncountable.add(batch.id);
      this.#log.error(
        { err: error, row: batch.id, visits: batch.size },
        'visits cannot be counted: their row stays in visit_journal until another host or the next start tries it',
      );
      return 'done';
    }
  }

  async #countRows(batches: Batch[]): Promise<boolean> {
    const rows = await this.#db.query<{ id: number; visits: string }>({
      name: 'visits_read',
      text: READ,
      values: [batches.map(({ id }) => id)],
    });
    if (rows.length === 0) return true;
    const uncertainIds = new Set(batches.filter(({ isUncertain }) => isUncertain).map(({ id }) => id));
    const now = this.#clock.now();
    const certain: JournaledVisit[] = [];
    const uncertain: JournaledVisit[] = [];
    let sinceTurn = 0;
    for (const row of rows) {
      if (sinceTurn >= PART_VISITS) {
        await nextTurn();
        sinceTurn = 0;
      }
      const isUncertain = uncertainIds.has(row.id);
      const parsed = parseVisits(row.visits, now);
      for (const visit of parsed) (isUncertain || visit.isResent ? uncertain : certain).push(visit);
      sinceTurn += parsed.length;
    }
    const uncounted = await findUncounted(this.#db.query, uncertain);
    const visits = [...certain, ...uncounted];
    const count = {
      rows: rows.map(({ id }) => id),
      visits,
      owners: await this.#owners.of(visits),
      visitIds: uncounted.flatMap(({ id }) => id ?? []),
    };
    let ending: string[];
    try {
      ending = await this.#db.inTransaction((query) => countVisits(query, count));
    } catch (error) {
      if (!(error instanceof NotClaimed)) throw error;
      this.#owners.invalidate(visits.flatMap(({ codeId }) => codeId ?? []));
      return false;
    }
    this.#notifier.notify(visits);
    if (ending.length > 0) await this.#endCodes(ending);
    return true;
  }
}

function intervalAfter(batches: Batch[]): number {
  const visits = batches.reduce((sum, { size }) => sum + size, 0);
  return visits > MANY_COUNTED ? BUSY_INTERVAL_MS : INTERVAL_MS;
}

/** Whether the visits are rejected, by JavaScript or as data (SQLSTATE 22, 23502), so that trying again is no use. */
function isAboutContent(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  return error instanceof Error && 'code' in error && /^(22...|23502)$/.test(String(error.code));
}
