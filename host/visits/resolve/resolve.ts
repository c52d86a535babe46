import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createBlockedHosts } from '#host/codes/blocks/blocked-hosts';
import { CODE_CHANGED, TARGETS_CHANGED } from '#host/codes/code/store';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { createGrowingCache } from '#host/http/growing-cache';
import { type CodeRow, readCode, readCodes, readPublicCodes, readReplicaCode } from './code-rows';
import { type CachedCode, flat, isPublic, packCode, unpackCode } from './packed-code';
import { createCodeSnapshot } from './snapshot';

export interface CodeCache {
  /** The code behind a slug, or null; synchronously when cached. Throws `unavailable` while the database is down. */
  find(slug: string): CachedCode | null | Promise<CachedCode | null>;
  /**
   * Caches all public codes, as many as there is room for, so that they keep working while the database is down, and
   * evicts those that no longer exist. Does nothing if that was done and no notification was missed since.
   */
  fill(): Promise<void>;
}

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
/** Characters of the time in front of a packed code. */
const TIME_CHARS = 5;

/**
 * An in-memory cache of codes by slug. Found and missing slugs are kept apart, so that guessing slugs cannot evict real
 * codes. Every node is notified of changes; after a gap in the notifications every entry is read again before use.
 * While the database is down, stale entries without a known change go on answering; public ones survive a restart in a
 * snapshot file.
 */
export function createCodeCache({ db, log, visits }: Pick<Deps, 'db' | 'log' | 'visits'>): CodeCache {
  /** Packed codes, each prefixed with the time it was read; time 0 if it came from the snapshot. */
  const found = new LRUCache<string, string>({ max: visits.knownCodes });
  /** When each of these slugs was found not to exist. */
  const missing = createGrowingCache<string, number>(MAX_MISSING);
  const pendingReads = new Map<string, PendingRead>();
  /** When each of these slugs was last notified as changed. */
  const changedAt = createGrowingCache<string, number>(MAX_CHANGES);
  let slugsToReload = new Set<string>();
  const blocked = createBlockedHosts(db);
  const snapshot = createCodeSnapshot(
    { visits, log },
    {
      slugs: () => [...found.keys()],
      set: (slug, code) => found.set(slug, flat(encodeTime(0) + code)),
      delete: (slug) => found.delete(slug),
      clear: () => found.clear(),
      peek: peekPublic,
    },
  );
  /** Entries read before this are stale. */
  let validFrom = 1;
  let retryAt = 0;
  let filledAt = 0;

  snapshot.load();
  const listening = db
    .listen(CODE_CHANGED, onChange, invalidateAll)
    .then(invalidateAll, (error: unknown) =>
      log.error({ err: error }, 'not listening for changed codes; changes take up to 30 seconds to show'),
    );

  function onChange(slug: string): void {
    if (slug === TARGETS_CHANGED) {
      invalidateAll();
      return;
    }
    // A read that began in this millisecond may or may not have seen the change.
    changedAt.set(slug, now() + 1);
    if (slugsToReload.size === 0) setTimeout(reloadChanged, RELOAD_DELAY_MS).unref();
    slugsToReload.add(slug);
    if (found.has(slug)) snapshot.put(slug, null);
    found.delete(slug);
    missing.delete(slug);
    markStale(pendingReads.get(slug));
  }

  /** Whole milliseconds; later than the start of any read before the last gap. */
  function now(): number {
    return Math.max(Math.floor(performance.now()), validFrom);
  }

  function invalidateAll(): void {
    validFrom = now() + 1;
    blocked.invalidate();
    for (const read of pendingReads.values()) markStale(read);
  }

  function find(slug: string) {
    const entry = found.get(slug);
    const readAt = entry === undefined ? missing.get(slug) : decodeTime(entry);
    if (readAt !== undefined && isFresh(readAt))
      return entry === undefined ? null : unpackCode(entry.slice(TIME_CHARS));
    return refresh(slug, readAt);
  }

  function isFresh(readAt: number): boolean {
    return readAt >= validFrom && performance.now() - readAt < FRESH_MS;
  }

  function peekPublic(slug: string): string | null {
    const code = found.peek(slug)?.slice(TIME_CHARS);
    return code !== undefined && isPublic(code) ? code : null;
  }

  /** The entry read at `readAt`, however old; undefined if there is none or it was replaced or evicted since. */
  function findStale(slug: string, readAt: number | undefined): CachedCode | null | undefined {
    const entry = found.peek(slug);
    if (readAt === undefined) return undefined;
    if (entry !== undefined)
      return decodeTime(entry) === readAt ? unpackCode(entry.slice(TIME_CHARS)) : undefined;
    return missing.peek(slug) === readAt ? null : undefined;
  }

  async function refresh(slug: string, readAt: number | undefined): Promise<CachedCode | null> {
    const stale = findStale(slug, readAt);
    const hasFailed = performance.now() < retryAt;
    if (stale !== undefined && hasFailed) return stale;
    // A long wait for a hanging database would take connections from visitors of cached codes.
    const isWorthWaiting = stale === undefined && !hasFailed;
    try {
      return await withTimeout(read(slug), isWorthWaiting ? READ_WAIT_MS : REFRESH_WAIT_MS);
    } catch (error) {
      retryAt = performance.now() + RETRY_MS;
      const fallback = findStale(slug, readAt);
      log.warn({ err: error, isCached: fallback !== undefined }, 'a code could not be read');
      if (fallback !== undefined) return fallback;
      throw new ApiError('unavailable', { retryAfterSeconds: 5 });
    }
  }

  function read(slug: string): Promise<CachedCode | null> {
    const pending = pendingReads.get(slug);
    if (pending) return pending.code;
    const pendingRead: PendingRead = { isStale: false, code: Promise.resolve(null) };
    pendingRead.code = readUntilFresh(slug, pendingRead).finally(() => pendingReads.delete(slug));
    pendingReads.set(slug, pendingRead);
    return pendingRead.code;
  }

  /** Reads the row again if a change is notified while it is being read. */
  async function readUntilFresh(slug: string, pending: PendingRead): Promise<CachedCode | null> {
    for (;;) {
      pending.isStale = false;
      const { row, readAt } = await readRow(slug);
      if (pending.isStale) continue;
      if (row) return store(row, readAt);
      if (found.has(slug)) snapshot.put(slug, null);
      found.delete(slug);
      missing.set(slug, readAt);
      return null;
    }
  }

  /**
   * From a replica if it has the code and has caught up with its last notified change, else from the primary: a code
   * that the replica lacks may have just been created.
   */
  async function readRow(slug: string): Promise<{ row: CodeRow | null; readAt: number }> {
    const replica = await readReplicaCode(db, slug);
    const hasCaughtUp = replica !== null && replica.asOf > (changedAt.get(slug) ?? -1);
    if (hasCaughtUp && isFresh(replica.asOf)) return { row: replica.row, readAt: replica.asOf };
    const readAt = now();
    if (!hasCaughtUp) return { row: await readCode(db, blocked, slug), readAt };
    try {
      return { row: await withTimeout(readCode(db, blocked, slug), REFRESH_WAIT_MS), readAt };
    } catch {
      retryAt = performance.now() + RETRY_MS;
      return { row: replica.row, readAt: replica.asOf };
    }
  }

  function store({ slug, ...code }: CodeRow, readAt: number): CachedCode {
    const packed = packCode(code);
    const before = peekPublic(slug);
    missing.delete(slug);
    found.set(slug, flat(encodeTime(readAt) + packed));
    const after = isPublic(packed) ? packed : null;
    if (after !== before) snapshot.put(slug, after);
    return code;
  }

  /** Reads changed codes ahead of the next visit, so that they are cached should the database go down. */
  async function reloadChanged(): Promise<void> {
    const slugs = [...slugsToReload];
    slugsToReload = new Set();
    try {
      for (let from = 0; from < slugs.length; from += RELOADED_AT_ONCE)
        await readAndStore(() => readCodes(db, blocked, slugs.slice(from, from + RELOADED_AT_ONCE)));
    } catch {
      // The next visits read them.
    }
  }

  /** Caches rows that did not change while they were read. Returns all of them, or null after a gap. */
  async function readAndStore(
    readRows: () => Promise<CodeRow[]>,
    isWanted = (_slug: string) => true,
  ): Promise<CodeRow[] | null> {
    const readAt = now();
    const rows = await readRows();
    if (validFrom > readAt) return null;
    for (const row of rows) {
      if ((changedAt.get(row.slug) ?? 0) < readAt && isWanted(row.slug)) store(row, readAt);
    }
    return rows;
  }

  async function fill(): Promise<void> {
    await listening;
    await db.ping();
    if (filledAt >= validFrom) return snapshot.confirm();
    const startedAt = now();
    const hasRoom = (slug: string) => found.has(slug) || found.size < visits.knownCodes;
    for (let last = ''; ; ) {
      const rows = await readAndStore(() => readPublicCodes(db, blocked, last), hasRoom);
      // A notification was missed: start over in the next run.
      if (!rows) return;
      const lastSlug = rows.at(-1)?.slug;
      if (lastSlug === undefined) break;
      last = lastSlug;
      await delay(FILL_PAUSE_MS);
    }
    // Behind a pooler the pages may have come from another installation's database.
    await db.ping();
    for (const slug of [...found.keys()]) {
      const entry = found.peek(slug);
      if (entry === undefined || decodeTime(entry) >= startedAt || peekPublic(slug) === null) continue;
      found.delete(slug);
      snapshot.put(slug, null);
    }
    filledAt = startedAt;
    snapshot.confirm();
    log.info({ codes: found.size }, 'code cache filled');
  }

  return { find, fill };
}

function markStale(read: PendingRead | undefined): void {
  if (read) read.isStale = true;
}

/** Whole milliseconds as five characters of one byte each. */
function encodeTime(ms: number): string {
  const high = Math.floor(ms / 2 ** 32);
  const low = [24, 16, 8, 0].map((bits) => (ms >>> bits) & 255);
  return String.fromCharCode(high & 255, ...low);
}

function decodeTime(entry: string): number {
  let ms = 0;
  for (let i = 0; i < TIME_CHARS; i += 1) ms = ms * 256 + entry.charCodeAt(i);
  return ms;
}
