import { LRUCache } from 'lru-cache';
import { targetOf } from '#contract/contents';
import { CODE_CHANGED } from '#host/codes/codes.store';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { inTime } from './in-time';

/** What a visit needs to know of a code. `redirect` is the finished answer of a link. */
export interface KnownCode {
  id: string;
  accountId: string;
  type: 'link' | 'text' | 'email' | 'wifi';
  content: string;
  subject: string;
  body: string;
  isPrivate: boolean;
  isDeleted: boolean;
  redirect: ResponseInit;
}

export interface KnownCodes {
  /** The code behind a slug or null; at once when it is known. Throws `unavailable` while the database cannot say. */
  find(slug: string): KnownCode | null | Promise<KnownCode | null>;
}

interface Entry {
  code: KnownCode | null;
  readAt: number;
  epoch: number;
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

interface Row {
  id: string;
  account_id: string;
  type: KnownCode['type'];
  content: string;
  subject: string;
  body: string;
  visibility: string;
  deleted_at: Date | null;
}

const SELECT =
  'select id, account_id, type, content, subject, body, visibility, deleted_at from codes where slug = $1';

/**
 * Codes by slug, kept in memory: found and missing apart, so that guessing addresses cannot push out real ones.
 * Every node hears of a change; after a gap in hearing all entries are read again before they are trusted. While the
 * database is away, entries that no change was heard for go on answering.
 */
export function createKnownCodes({ db, log }: Pick<Deps, 'db' | 'log'>): KnownCodes {
  const found = new LRUCache<string, Entry>({ max: 20_000 });
  const missing = new LRUCache<string, Entry>({ max: 5_000 });
  const readings = new Map<string, Reading>();
  let epoch = 0;
  let retryAt = 0;

  db.listen(CODE_CHANGED, forget, distrustAll).then(distrustAll, (error: unknown) =>
    log.error({ err: error }, 'changes of codes are not heard; they show within 30 seconds'),
  );

  function forget(slug: string): void {
    found.delete(slug);
    missing.delete(slug);
    outdate(readings.get(slug));
  }

  function distrustAll(): void {
    epoch += 1;
    for (const reading of readings.values()) outdate(reading);
  }

  function find(slug: string) {
    const entry = found.get(slug) ?? missing.get(slug);
    if (entry && entry.epoch === epoch && performance.now() - entry.readAt < FRESH_MS) return entry.code;
    return refresh(slug, entry);
  }

  async function refresh(slug: string, older: Entry | undefined): Promise<KnownCode | null> {
    const isStillKnown = () => older !== undefined && (found.peek(slug) ?? missing.peek(slug)) === older;
    if (older && performance.now() < retryAt) return older.code;
    try {
      return await inTime(read(slug), older ? REFRESH_WAIT_MS : READ_WAIT_MS);
    } catch (error) {
      retryAt = performance.now() + RETRY_MS;
      log.warn({ err: error, isKnown: isStillKnown() }, 'a code could not be read');
      if (older && isStillKnown()) return older.code;
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
      const readAt = performance.now();
      const [row] = await db.query<Row>({ name: 'code_by_slug', text: SELECT, values: [slug] });
      if (reading.isOutdated) continue;
      const code = row ? knownCode(row) : null;
      found.delete(slug);
      missing.delete(slug);
      (code ? found : missing).set(slug, { code, readAt, epoch });
      return code;
    }
  }

  return { find };
}

function outdate(reading: Reading | undefined): void {
  if (reading) reading.isOutdated = true;
}

function knownCode({ account_id, visibility, deleted_at, ...row }: Row): KnownCode {
  const location = row.type === 'link' ? targetOf(row.content) : '';
  return {
    ...row,
    accountId: account_id,
    isPrivate: visibility === 'private',
    isDeleted: deleted_at !== null,
    redirect: { status: 302, headers: { Location: location, 'Cache-Control': 'no-store' } },
  };
}
