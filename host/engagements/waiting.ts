import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#host/db/client';
import { DatabaseNotReady } from '#host/db/starting';
import type { Deps } from '#host/http/deps';
import { countEngagement, type EngagementRow } from './store';

interface WaitingEngagements {
  /** Keeps an engagement in the database until its visit is counted, for ten minutes at most. */
  keep(row: EngagementRow): Promise<void>;
}

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 10_000;
/** Longer than it takes until the visits of a killed host are counted by another one. */
const MAX_AGE_SECONDS = 600;
const BATCH_ROWS = 100;

/**
 * A person may act before the visit is counted: the engagement then waits in the database, where it survives a restart.
 * Also picks up what an earlier run left. Polls often after something new came, then ever more rarely.
 */
export function createWaitingEngagements(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  onCounted: (row: EngagementRow) => void,
): WaitingEngagements {
  let pauseMs = FIRST_POLL_MS;
  let isPolling = false;
  let isPollDue = false;

  async function keep(row: EngagementRow): Promise<void> {
    await keepEngagement(db, row);
    pauseMs = FIRST_POLL_MS;
    isPollDue = true;
    void poll();
  }

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    // A database that is still being opened may have no tables yet.
    await db.migrate();
    let remaining = 1;
    while (remaining > 0 || isPollDue) {
      await delay(pauseMs, undefined, { ref: false });
      isPollDue = false;
      pauseMs = Math.min(pauseMs * 2, MAX_POLL_MS);
      try {
        await countReady();
        remaining = await dropWaitingEngagements(db, MAX_AGE_SECONDS);
      } catch (error) {
        if (!(error instanceof DatabaseNotReady))
          log.warn({ err: error }, 'engagements that wait for their visit could not be counted yet');
      }
    }
    isPolling = false;
  }

  async function countReady(): Promise<void> {
    let ready: EngagementRow[];
    do {
      ready = await listReadyEngagements(db, BATCH_ROWS);
      for (const row of ready) {
        const { isNew } = await countEngagement(db, row);
        await forgetEngagement(db, row);
        if (isNew) onCounted(row);
      }
    } while (ready.length === BATCH_ROWS);
  }

  void poll();
  return { keep };
}

type Queries = Pick<Database, 'query'>;

/** Stores an engagement until its visit is counted. */
async function keepEngagement(
  { query }: Queries,
  { codeId, day, visitor, kind }: EngagementRow,
): Promise<void> {
  await query({
    name: 'engagement_keep',
    text: `insert into waiting_engagements (code_id, day, visitor, kind) values ($1, $2, $3, $4)
      on conflict do nothing`,
    values: [codeId, day, visitor, kind],
  });
}

/** Up to `limit` stored engagements of people whose visit is counted by now. */
async function listReadyEngagements({ query }: Queries, limit: number): Promise<EngagementRow[]> {
  return query<EngagementRow>({
    name: 'engagements_ready',
    text: `select code_id as "codeId", day::text, visitor::text, kind from waiting_engagements w
      where exists (
        select from visitor_days v where v.code_id = w.code_id and v.day = w.day and v.visitor = w.visitor
      ) limit $1`,
    values: [limit],
  });
}

async function forgetEngagement(
  { query }: Queries,
  { codeId, day, visitor, kind }: EngagementRow,
): Promise<void> {
  await query({
    name: 'engagement_forget',
    text: 'delete from waiting_engagements where code_id = $1 and day = $2 and visitor = $3 and kind = $4',
    values: [codeId, day, visitor, kind],
  });
}

/** Drops engagements stored for longer than this many seconds; returns how many are still stored. */
async function dropWaitingEngagements({ query }: Queries, seconds: number): Promise<number> {
  const [row] = await query<{ left: number }>({
    name: 'engagements_drop',
    text: `with old as (
        delete from waiting_engagements where since < now() - $1::int * interval '1 second' returning 1
      ) select ((select count(*) from waiting_engagements) - (select count(*) from old))::int as left`,
    values: [seconds],
  });
  return row?.left ?? 0;
}
