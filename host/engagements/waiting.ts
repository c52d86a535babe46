import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseNotReady } from '#host/db/starting';
import type { Deps } from '#host/http/deps';
import { countEngagement, type EngagementRow } from './engagements.store';
import {
  dropWaitingEngagements,
  forgetEngagement,
  keepEngagement,
  listReadyEngagements,
} from './waiting.store';

interface WaitingEngagements {
  /** Keeps an engagement in the database until its visit is counted, for ten minutes at most. */
  keep(row: EngagementRow): Promise<void>;
}

const FIRST_LOOK_MS = 250;
const LAST_LOOK_MS = 10_000;
/** Longer than the visits of a host that was killed wait for another one to count them. */
const KEPT_SECONDS = 600;
const AT_ONCE = 100;

/**
 * A person may act before the visit is counted: the engagement then waits in the database, where it outlives this
 * program. Looks for what an earlier run left as well. Looks often after something new came, and ever more rarely.
 */
export function createWaitingEngagements(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  onCounted: (row: EngagementRow) => void,
): WaitingEngagements {
  let pauseMs = FIRST_LOOK_MS;
  let isLooking = false;
  let isLookOwed = false;

  async function keep(row: EngagementRow): Promise<void> {
    await keepEngagement(db, row);
    pauseMs = FIRST_LOOK_MS;
    isLookOwed = true;
    void look();
  }

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    let left = 1;
    while (left > 0 || isLookOwed) {
      await delay(pauseMs, undefined, { ref: false });
      isLookOwed = false;
      pauseMs = Math.min(pauseMs * 2, LAST_LOOK_MS);
      try {
        await countReady();
        left = await dropWaitingEngagements(db, KEPT_SECONDS);
      } catch (error) {
        if (!(error instanceof DatabaseNotReady))
          log.warn({ err: error }, 'engagements that wait for their visit could not be counted yet');
      }
    }
    isLooking = false;
  }

  async function countReady(): Promise<void> {
    let ready: EngagementRow[];
    do {
      ready = await listReadyEngagements(db, AT_ONCE);
      for (const row of ready) {
        const { isNew } = await countEngagement(db, row);
        await forgetEngagement(db, row);
        if (isNew) onCounted(row);
      }
    } while (ready.length === AT_ONCE);
  }

  void look();
  return { keep };
}
