import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createBlockedHosts } from '#host/codes/blocks/blocked-hosts';
import { CODE_CHANGED, TARGETS_CHANGED } from '#host/codes/code/store';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { createGrowingCache } from '#host/http/growing-cache';
import {
  type BlockedHosts,
  type CodeRow,
  readCode,
  readCodes,
  readPublicCodes,
  readReplicaCode,
} from './code-rows';
import { type CachedCode, codeOf, packCode, publicCodeOf, readAtOf, writeEntry } from './packed-code';
import { CodeSnapshot } from './snapshot';

interface PendingRead {
  /** The code changed meanwhile: read it again. */
  isStale: boolean;
  code: Promise<CachedCode | null>;
}

const FRESH_MS = 30_000;
/** How long a visitor waits for the database when a stale entry could answer instead, and when there is none. */
const REFRESH_WAIT_MS = 500;
const READ_WAIT_MS = 3_000;
const RETRY_MS = 1_000;
const MAX_MISSING = 5_000;
const MAX_CHANGES = 10_000;
/** How long changed slugs are collected before they are read together. */
const RELOAD_DELAY_MS = 250;
/** As many as an erased account has codes may change at once. */
const RELOADED_AT_ONCE = 500;
const FILL_PAUSE_MS = 20;

/**
 * An in-memory cache of codes by slug. Found and missing slugs are kept apart, so that guessing slugs cannot evict real
 * codes. Every node is notified of changes; after a gap in the notifications every entry is read again before use.
 * While the database is down, stale entries without a known change go on answering; public ones survive a restart in a
 * snapshot file.
 */
export class CodeCache {
  readonly #db: Deps['db'];
  readonly #log: Deps['log'];
  /** Packed codes with the time at which they were read. */
  readonly #found: LRUCache<string, string>;
  /** When each of these slugs was found not to exist. */
  readonly #missing = createGrowingCache<string, number>(MAX_MISSING);
  readonly #pendingReads = new Map<string, PendingRead>();
  /** When each of these slugs was last notified as changed. */
  readonly #changedAt = createGrowingCache<string, number>(MAX_CHANGES);
  #slugsToReload = new Set<string>();
  readonly #blocked: BlockedHosts;
  readonly #snapshot: CodeSnapshot;
  /** Entries read before this are stale. */
  #validFrom = 1;
  #retryAt = 0;
  #filledAt = 0;
  readonly #listening: Promise<void>;

  constructor({ db, log, visits }: Pick<Deps, 'db' | 'log' | 'visits'>) {
    this.#db = db;
    this.#log = log;
    this.#found = new LRUCache({ max: visits.knownCodes });
    this.#blocked = createBlockedHosts(db);
    this.#snapshot = new CodeSnapshot(
      { visits, log },
      {
        slugs: () => [...this.#found.keys()],
        set: (slug, code) => this.#found.set(slug, writeEntry(code, 0)),
        delete: (slug) => this.#found.delete(slug),
        clear: () => this.#found.clear(),
        peek: (slug) => publicCodeOf(this.#found.peek(slug)),
      },
    );
    this.#snapshot.load();
    this.#listening = this.#listen();
  }

  /** The code behind a slug, or null; synchronously when cached. Throws `unavailable` while the database is down. */
  find(slug: string): CachedCode | null | Promise<CachedCode | null> {
    const entry = this.#found.get(slug);
    const readAt = entry === undefined ? this.#missing.get(slug) : readAtOf(entry);
    if (readAt !== undefined && this.#isFresh(readAt)) return entry === undefined ? null : codeOf(entry);
    return this.#refresh(slug, readAt);
  }

  /**
   * Caches all public codes, as many as there is room for, so that they keep working while the database is down, and
   * evicts those that no longer exist. Does nothing if that was done and no notification was missed since.
   */
  async fill(): Promise<void> {
    await this.#listening;
    await this.#db.ping();
    if (this.#filledAt >= this.#validFrom) return this.#snapshot.confirm();
    const startedAt = this.#now();
    const hasRoom = (slug: string) => this.#found.has(slug) || this.#found.size < this.#found.max;
    for (let last = ''; ; ) {
      const rows = await this.#readAndStore(() => readPublicCodes(this.#db, this.#blocked, last), hasRoom);
      // A notification was missed: start over in the next run.
      if (!rows) return;
      const lastSlug = rows.at(-1)?.slug;
      if (lastSlug === undefined) break;
      last = lastSlug;
      await delay(FILL_PAUSE_MS);
    }
    // Behind a pooler the pages may have come from another installation's database.
    await this.#db.ping();
    for (const slug of [...this.#found.keys()]) {
      const entry = this.#found.peek(slug);
      if (entry === undefined || readAtOf(entry) >= startedAt || publicCodeOf(entry) === null) continue;
      this.#found.delete(slug);
      this.#snapshot.put(slug, null);
    }
    this.#filledAt = startedAt;
    this.#snapshot.confirm();
    this.#log.info({ codes: this.#found.size }, 'code cache filled');
  }

  async #listen(): Promise<void> {
    const invalidate = () => this.#invalidateAll();
    try {
      await this.#db.listen(CODE_CHANGED, (slug) => this.#onChange(slug), invalidate);
      invalidate();
    } catch (error) {
      const message = 'not listening for changed codes; changes take up to 30 seconds to show';
      this.#log.error({ err: error }, message);
    }
  }

  #onChange(slug: string): void {
    if (slug === TARGETS_CHANGED) {
      this.#invalidateAll();
      return;
    }
    // A read that began in this millisecond may or may not have seen the change.
    this.#changedAt.set(slug, this.#now() + 1);
    if (this.#slugsToReload.size === 0) setTimeout(() => this.#reloadChanged(), RELOAD_DELAY_MS).unref();
    this.#slugsToReload.add(slug);
    if (this.#found.has(slug)) this.#snapshot.put(slug, null);
    this.#found.delete(slug);
    this.#missing.delete(slug);
    markStale(this.#pendingReads.get(slug));
  }

  /** Whole milliseconds; later than the start of any read before the last gap. */
  #now(): number {
    return Math.max(Math.floor(performance.now()), this.#validFrom);
  }

  #invalidateAll(): void {
    this.#validFrom = this.#now() + 1;
    this.#blocked.invalidate();
    for (const read of this.#pendingReads.values()) markStale(read);
  }

  #isFresh(readAt: number): boolean {
    return readAt >= this.#validFrom && performance.now() - readAt < FRESH_MS;
  }

  /** The entry read at `readAt`, however old; undefined if there is none or it was replaced or evicted since. */
  #findStale(slug: string, readAt: number | undefined): CachedCode | null | undefined {
    const entry = this.#found.peek(slug);
    if (readAt === undefined) return undefined;
    if (entry !== undefined) return readAtOf(entry) === readAt ? codeOf(entry) : undefined;
    return this.#missing.peek(slug) === readAt ? null : undefined;
  }

  async #refresh(slug: string, readAt: number | undefined): Promise<CachedCode | null> {
    const stale = this.#findStale(slug, readAt);
    const hasFailed = performance.now() < this.#retryAt;
    if (stale !== undefined && hasFailed) return stale;
    // A long wait for a hanging database would take connections from visitors of cached codes.
    const isWorthWaiting = stale === undefined && !hasFailed;
    try {
      return await withTimeout(this.#read(slug), isWorthWaiting ? READ_WAIT_MS : REFRESH_WAIT_MS);
    } catch (error) {
      this.#retryAt = performance.now() + RETRY_MS;
      const fallback = this.#findStale(slug, readAt);
      this.#log.warn({ err: error, isCached: fallback !== undefined }, 'a code could not be read');
      if (fallback !== undefined) return fallback;
      throw new ApiError('unavailable', { retryAfterSeconds: 5 });
    }
  }

  #read(slug: string): Promise<CachedCode | null> {
    const pending = this.#pendingReads.get(slug);
    if (pending) return pending.code;
    const pendingRead: PendingRead = { isStale: false, code: Promise.resolve(null) };
    pendingRead.code = this.#readUntilFresh(slug, pendingRead).finally(() => this.#pendingReads.delete(slug));
    this.#pendingReads.set(slug, pendingRead);
    return pendingRead.code;
  }

  /** Reads the row again if a change is notified while it is being read. */
  async #readUntilFresh(slug: string, pending: PendingRead): Promise<CachedCode | null> {
    for (;;) {
      pending.isStale = false;
      const { row, readAt } = await this.#readRow(slug);
      if (pending.isStale) continue;
      if (row) return this.#store(row, readAt);
      if (this.#found.has(slug)) this.#snapshot.put(slug, null);
      this.#found.delete(slug);
      this.#missing.set(slug, readAt);
      return null;
    }
  }

  /**
   * From a replica if it has the code and has caught up with its last notified change, else from the primary: a code
   * that the replica lacks may have just been created.
   */
  async #readRow(slug: string): Promise<{ row: CodeRow | null; readAt: number }> {
    const replica = await readReplicaCode(this.#db, slug);
    const hasCaughtUp = replica !== null && replica.asOf > (this.#changedAt.get(slug) ?? -1);
    if (hasCaughtUp && this.#isFresh(replica.asOf)) return { row: replica.row, readAt: replica.asOf };
    const readAt = this.#now();
    if (!hasCaughtUp) return { row: await readCode(this.#db, this.#blocked, slug), readAt };
    try {
      return { row: await withTimeout(readCode(this.#db, this.#blocked, slug), REFRESH_WAIT_MS), readAt };
    } catch {
      this.#retryAt = performance.now() + RETRY_MS;
      return { row: replica.row, readAt: replica.asOf };
    }
  }

  #store({ slug, ...code }: CodeRow, readAt: number): CachedCode {
    const before = publicCodeOf(this.#found.peek(slug));
    this.#missing.delete(slug);
    const entry = writeEntry(packCode(code), readAt);
    this.#found.set(slug, entry);
    const after = publicCodeOf(entry);
    if (after !== before) this.#snapshot.put(slug, after);
    return code;
  }

  /** Reads changed codes ahead of the next visit, so that they are cached should the database go down. */
  async #reloadChanged(): Promise<void> {
    const slugs = [...this.#slugsToReload];
    this.#slugsToReload = new Set();
    try {
      for (let from = 0; from < slugs.length; from += RELOADED_AT_ONCE)
        await this.#readAndStore(() =>
          readCodes(this.#db, this.#blocked, slugs.slice(from, from + RELOADED_AT_ONCE)),
        );
    } catch {
      // The next visits read them.
    }
  }

  /** Caches rows that did not change while they were read. Returns all of them, or null after a gap. */
  async #readAndStore(
    readRows: () => Promise<CodeRow[]>,
    isWanted = (_slug: string) => true,
  ): Promise<CodeRow[] | null> {
    const readAt = this.#now();
    const rows = await readRows();
    if (this.#validFrom > readAt) return null;
    for (const row of rows) {
      if ((this.#changedAt.get(row.slug) ?? 0) < readAt && isWanted(row.slug)) this.#store(row, readAt);
    }
    return rows;
  }
}

function markStale(read: PendingRead | undefined): void {
  if (read) read.isStale = true;
}
