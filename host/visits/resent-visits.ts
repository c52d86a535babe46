import type { Database } from '#host/db/client';
import { createGrowingCache } from '#host/http/growing-cache';
import { parseVisits } from './journal';

/**
 * Recognises visits that the gateway resends because their host died before it responded: it may have recorded them
 * anyway. Their batch is then in the journal, or was taken over from there or from the spool.
 */
export interface ResentVisits {
  /** Remembers the visits of another process's batch that is about to leave the journal or the spool. */
  remember(visits: string): void;
  /** Whether another process has recorded the visit with this id. Rejects if the database does not respond. */
  isRecorded(id: string): Promise<boolean>;
}

/** Longer than the gateway retries. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 50_000;
const FIND =
  'select exists (select from visit_journal where position($1::text in visits) > 0) as "isJournaled"';

export function createResentVisits({ query }: Pick<Database, 'query'>): ResentVisits {
  const remembered = createGrowingCache<string, true>(MAX_REMEMBERED, { ttl: REMEMBERED_MS });

  return {
    remember(visits) {
      for (const { id } of parseVisits(visits, new Date(0))) if (id) remembered.set(id, true);
    },
    async isRecorded(id) {
      const statement = { name: 'visits_find_resent', text: FIND, values: [JSON.stringify(id)] };
      // In this order, because a batch is remembered before it leaves the journal.
      const [found] = await query<{ isJournaled: boolean }>(statement);
      return found?.isJournaled === true || remembered.has(id);
    },
  };
}
