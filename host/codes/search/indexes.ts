import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { CodeOrder } from '#contract/codes';
import type { Database, Orm } from '#host/db/client';
import { type CodeIndex, createCodeIndex, type Found, type IndexFilter, type Place } from './code-index';
import { readChanges, readCodesBefore, readNamed, readPosition } from './indexed-codes';

/** Finds codes of accounts by texts, filters and orders that no database index could serve. */
export interface CodeIndexes {
  /**
   * How many codes of an account match, as they are in the database at the time of the call, and those at this place of
   * the order; all by default.
   */
  find(accountId: string, filter: IndexFilter, order: CodeOrder, place?: Place): Promise<Found>;
}

const MEMORY_BYTES = 64 * 1024 * 1024;
const UNUSED_MS = 10 * 60_000;
/**
 * Reload after this long: a host of the previous version, still running during an upgrade, does not say which codes it
 * counted visits of.
 */
const MAX_AGE_MS = 60 * 60_000;
const PAGE = 2_000;
const MAX_NUMBER = 2_147_483_647;

/**
 * Keeps the codes of an account in memory from its first query on. Every query first reads what was written since the
 * one before, so that all hosts give the same answers. Accounts that are no longer queried, or for which there is no
 * room, are dropped.
 */
export function createCodeIndexes(
  { orm }: Pick<Database, 'orm'>,
  { now = () => new Date(), memoryBytes = MEMORY_BYTES } = {},
): CodeIndexes {
  const known = new LRUCache<string, FollowedCodes>({
    maxSize: memoryBytes,
    ttl: UNUSED_MS,
    updateAgeOnGet: true,
    ttlAutopurge: true,
  });

  return {
    async find(accountId, filter, order, place = { from: 0, to: Number.POSITIVE_INFINITY }) {
      const followed = known.get(accountId) ?? followCodes(orm, accountId);
      if (!known.has(accountId)) known.set(accountId, followed, { size: 1 });
      const [named, codes] = await Promise.all([
        readNamed(orm, accountId, filter, now()),
        followed.catchUp(order),
        // While the database works.
        nextTurn().then(() => followed.search(filter.search)),
      ]);
      known.set(accountId, followed, { size: codes.bytes() + 1 });
      // Another search may have run meanwhile.
      codes.search(filter.search);
      return codes.find({ filter, named, order, ...place });
    },
  };
}

interface FollowedCodes {
  /**
   * Searches the known codes before they are brought up to date; after that the index searches only the new ones.
   */
  search(text: string): void;
  /** The codes as they are in the database at the time of the call, kept in this order among others. */
  catchUp(order: CodeOrder): Promise<CodeIndex>;
}

function followCodes(orm: Orm, accountId: string): FollowedCodes {
  let codeIndex = createCodeIndex();
  let position: number | null = null;
  let loadedAt = 0;
  let wanted = new Set<CodeOrder>();
  let reading: Promise<unknown> = Promise.resolve();
  let next: Promise<CodeIndex> | null = null;

  async function load(): Promise<void> {
    const [fresh, since] = [createCodeIndex(), await readPosition(orm)];
    loadedAt = performance.now();
    let pages = 0;
    for (let before = MAX_NUMBER, isLast = false; !isLast; pages += 1) {
      const rows = await readCodesBefore(orm, accountId, before, PAGE);
      fresh.put(rows);
      before = rows.at(-1)?.number ?? 0;
      isLast = rows.length < PAGE;
    }
    [codeIndex, position] = [fresh, since];
    // Codes may have changed between pages.
    if (pages > 1) await follow(since);
  }

  async function follow(since: number): Promise<void> {
    const changes = await readChanges(orm, accountId, since);
    // The database was replaced by another one.
    if (changes.position < since) return load();
    if (changes.rows) codeIndex.put(changes.rows);
    position = changes.position;
  }

  async function read(orders: Set<CodeOrder>): Promise<CodeIndex> {
    if (position === null || performance.now() - loadedAt > MAX_AGE_MS) await load();
    else await follow(position);
    for (const order of orders) await codeIndex.sort(order);
    return codeIndex;
  }

  return {
    search: (text) => codeIndex.search(text),
    catchUp(order) {
      wanted.add(order);
      // A call during a read waits for the next read, which may see newer data.
      next ??= reading
        .catch(() => undefined)
        .then(() => {
          const orders = wanted;
          [next, wanted] = [null, new Set()];
          return read(orders);
        });
      reading = next;
      return next;
    },
  };
}
