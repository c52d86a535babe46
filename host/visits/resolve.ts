import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { CODE_CHANGED, TARGETS_CHANGED } from '#host/codes/codes.store';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { withTimeout } from '#host/http/timeout';
import { createBlockedHosts } from './blocked-hosts';
import { type CodeRow, lookUpCode, readCode, readCodes, readPublicCodes } from './code-rows';
import { createCodeSnapshot } from './code-snapshot';
import { isPublic, type KnownCode, packCode, unpackCode } from './packed-code';

export interface KnownCodes {
  /** The code behind a slug or null; at once when it is known. Throws `unavailable` while the database cannot say. */
  find(slug: string): KnownCode | null | Promise<KnownCode | null>;
  /**
   * Reads all codes that anybody is led to, as many as there is room for, so that they are known when the database is
   * away; and forgets those that are no more. Does nothing when that was done and no change was missed since.
   */
  fill(): Promise<void>;
}

interface Reading {
  isOutdated: boolean;
  code: Promise<KnownCode | null>;
}

const FRESH_MS = 30_000;
/** How long a visitor waits for the database when an older answer is at hand, and when there is none. */
const REFRESH_WAIT_MS = 500;
const READ_WAIT_MS = 3_000;
const RETRY_MS = 1_000;
const MISSING = 5_000;
const CHANGES = 10_000;
/** How long changes are collected before they are read. */
const CHANGES_MS = 250;
const FILL_PAUSE_MS = 20;
/** Characters of the moment before a packed code. */
const STAMP = 5;

/**
 * Codes by slug, kept in memory: found and missing apart, so that guessing addresses cannot push out real ones.
 * Every node hears of a change; after a gap in hearing all entries are read again before they are trusted. While the
 * database is away, entries that no change was heard for go on answering; those that anybody is led to also after a
 * start, from a file.
 */
export function createKnownCodes({ db, log, visits }: Pick<Deps, 'db' | 'log' | 'visits'>): KnownCodes {
  /** Packed codes behind the moment they were read at; of no moment where they are from the file. */
  const found = new LRUCache<string, string>({ max: visits.knownCodes });
  const missing = new LRUCache<string, number>({ max: MISSING });
  const readings = new Map<string, Reading>();
  /** Slugs that a change was heard of, and when. */
  const changes = new LRUCache<string, number>({ max: CHANGES });
  let unread = new Set<string>();
  const blocked = createBlockedHosts(db);
  const snapshot = createCodeSnapshot({ visits, log }, { slugs: () => [...found.keys()], peek: peekPublic });
  let trustedSince = 1;
  let retryAt = 0;
  let filledAt = 0;

  for (const [slug, code] of snapshot.load()) found.set(slug, stamp(0) + code);
  const listening = db
    .listen(CODE_CHANGED, change, distrustAll)
    .then(distrustAll, (error: unknown) =>
      log.error({ err: error }, 'changes of codes are not heard; they show within 30 seconds'),
    );

  function change(slug: string): void {
    if (slug === TARGETS_CHANGED) {
      distrustAll();
      return;
    }
    // Of a reading in this very millisecond nobody knows whether it saw the change.
    changes.set(slug, moment() + 1);
    if (unread.size === 0) setTimeout(readChanged, CHANGES_MS).unref();
    unread.add(slug);
    if (found.has(slug)) snapshot.put(slug, null);
    found.delete(slug);
    missing.delete(slug);
    outdate(readings.get(slug));
  }

  /** Whole milliseconds, later than those of any reading that was begun before the last gap. */
  function moment(): number {
    return Math.max(Math.floor(performance.now()), trustedSince);
  }

  function distrustAll(): void {
    trustedSince = moment() + 1;
    blocked.forget();
    for (const reading of readings.values()) outdate(reading);
  }

  function find(slug: string) {
    const entry = found.get(slug);
    const readAt = entry === undefined ? missing.get(slug) : momentOf(entry);
    if (readAt !== undefined && isFresh(readAt))
      return entry === undefined ? null : unpackCode(entry.slice(STAMP));
    return refresh(slug, readAt);
  }

  function isFresh(readAt: number): boolean {
    return readAt >= trustedSince && performance.now() - readAt < FRESH_MS;
  }

  function peekPublic(slug: string): string | null {
    const code = found.peek(slug)?.slice(STAMP);
    return code !== undefined && isPublic(code) ? code : null;
  }

  /** What is known of a slug however old; undefined where nothing is, or where a change was heard of meanwhile. */
  function older(slug: string, readAt: number | undefined): KnownCode | null | undefined {
    const entry = found.peek(slug);
    if (readAt === undefined) return undefined;
    if (entry !== undefined) return momentOf(entry) === readAt ? unpackCode(entry.slice(STAMP)) : undefined;
    return missing.peek(slug) === readAt ? null : undefined;
  }

  async function refresh(slug: string, readAt: number | undefined): Promise<KnownCode | null> {
    const known = older(slug, readAt);
    if (known !== undefined && performance.now() < retryAt) return known;
    try {
      return await withTimeout(read(slug), known === undefined ? READ_WAIT_MS : REFRESH_WAIT_MS);
    } catch (error) {
      retryAt = performance.now() + RETRY_MS;
      const still = older(slug, readAt);
      log.warn({ err: error, isKnown: still !== undefined }, 'a code could not be read');
      if (still !== undefined) return still;
      throw new ApiError('unavailable', { retryAfterSeconds: 5 });
    }
  }

  function read(slug: string): Promise<KnownCode | null> {
    const running = readings.get(slug);
    if (running) return running.code;
    const reading: Reading = { isOutdated: false, code: Promise.resolve(null) };
    reading.code = readNewest(slug, reading).finally(() => readings.delete(slug));
    readings.set(slug, reading);
    return reading.code;
  }

  /** A change heard while the row was on its way makes the row worthless: it is read again. */
  async function readNewest(slug: string, reading: Reading): Promise<KnownCode | null> {
    for (;;) {
      reading.isOutdated = false;
      const { row, readAt } = await readEither(slug);
      if (reading.isOutdated) continue;
      if (row) return remember(row, readAt);
      if (found.has(slug)) snapshot.put(slug, null);
      found.delete(slug);
      missing.set(slug, readAt);
      return null;
    }
  }

  /**
   * From a replica where that has the code as it is since the last change that was heard of. What a replica does not
   * have may have been made just now: that is for the database to say.
   */
  async function readEither(slug: string): Promise<{ row: CodeRow | null; readAt: number }> {
    const copy = await lookUpCode(db, slug);
    const isChangeIn = copy !== null && copy.asOf > (changes.get(slug) ?? -1);
    if (isChangeIn && isFresh(copy.asOf)) return { row: copy.row, readAt: copy.asOf };
    const readAt = moment();
    if (!isChangeIn) return { row: await readCode(db, blocked, slug), readAt };
    try {
      return { row: await withTimeout(readCode(db, blocked, slug), REFRESH_WAIT_MS), readAt };
    } catch {
      retryAt = performance.now() + RETRY_MS;
      return { row: copy.row, readAt: copy.asOf };
    }
  }

  function remember({ slug, ...code }: CodeRow, readAt: number): KnownCode {
    const packed = packCode(code);
    const before = peekPublic(slug);
    missing.delete(slug);
    found.set(slug, stamp(readAt) + packed);
    const now = isPublic(packed) ? packed : null;
    if (now !== before) snapshot.put(slug, now);
    return code;
  }

  /** What has changed is known again before somebody asks, so that it is known should the database go away. */
  async function readChanged(): Promise<void> {
    const slugs = [...unread];
    unread = new Set();
    // Where that fails, they are read when somebody asks.
    await collect(() => readCodes(db, blocked, slugs)).catch(() => undefined);
  }

  /** Remembers rows but those a change was heard of since; answers how many rows there were, or null after a gap. */
  async function collect(
    readRows: () => Promise<CodeRow[]>,
    isWanted = (_slug: string) => true,
  ): Promise<CodeRow[] | null> {
    const readAt = moment();
    const rows = await readRows();
    if (trustedSince > readAt) return null;
    for (const row of rows) {
      if ((changes.get(row.slug) ?? 0) < readAt && isWanted(row.slug)) remember(row, readAt);
    }
    return rows;
  }

  async function fill(): Promise<void> {
    await listening;
    if (filledAt >= trustedSince) {
      await db.ping();
      return snapshot.confirm();
    }
    const startedAt = moment();
    const hasRoom = (slug: string) => found.has(slug) || found.size < visits.knownCodes;
    for (let last = ''; ; ) {
      const rows = await collect(() => readPublicCodes(db, blocked, last), hasRoom);
      // Something was missed: the next time.
      if (!rows) return;
      const end = rows.at(-1)?.slug;
      if (end === undefined) break;
      last = end;
      await delay(FILL_PAUSE_MS);
    }
    for (const slug of [...found.keys()]) {
      const entry = found.peek(slug);
      if (entry === undefined || momentOf(entry) >= startedAt || peekPublic(slug) === null) continue;
      found.delete(slug);
      snapshot.put(slug, null);
    }
    filledAt = startedAt;
    snapshot.confirm();
    log.info({ codes: found.size }, 'codes are known for when the database is away');
  }

  return { find, fill };
}

function outdate(reading: Reading | undefined): void {
  if (reading) reading.isOutdated = true;
}

/** Whole milliseconds of the program's clock in five characters of a byte each. */
function stamp(moment: number): string {
  const high = Math.floor(moment / 2 ** 32);
  const low = [24, 16, 8, 0].map((bits) => (moment >>> bits) & 255);
  return String.fromCharCode(high & 255, ...low);
}

function momentOf(entry: string): number {
  let moment = 0;
  for (let i = 0; i < STAMP; i += 1) moment = moment * 256 + entry.charCodeAt(i);
  return moment;
}
