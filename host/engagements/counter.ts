import { setTimeout as delay } from 'node:timers/promises';
import { ipRateLimitKey } from '#contract/ip-rate-limit-key';
import type { Deps } from '#host/http/deps';
import { isRateLimited } from '#host/http/errors';
import { consumeRateLimit } from '#host/http/rate-limit';
import { withTimeout } from '#host/http/timeout';
import { createNotifier } from '#host/visits/notifier';
import { createVisitors, dayOf } from '#host/visits/visitors';
import { countEngagement, type EngagementRow } from './engagements.store';
import { createWaitingEngagements } from './waiting';

interface Engagement {
  codeId: string;
  kind: EngagementRow['kind'];
  at: Date;
  /** Used with the user agent for the visitor's number of the day, and never written. */
  clientIp: string;
  userAgent: string;
}

interface EngagementCounter {
  /**
   * Resolves when the engagement has committed, or after a quarter of a second when the database is slow or away.
   * Rejects with `rate_limited` alone, when one client address tells too many.
   */
  count(engagement: Engagement): Promise<void>;
}

const ANSWER_MS = 250;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** Engagements that wait for a database that is away. */
const MOST_UNWRITTEN = 1_000;
/** Generous, because many phones may share one address. */
const LIMIT = { name: 'engagement', points: 300, windowSeconds: 60 };

/**
 * Nothing here holds a person up: what cannot be written is tried again until it is, and what comes before its visit is
 * counted waits for it in the database.
 */
export function createEngagementCounter(
  deps: Pick<Deps, 'db' | 'log' | 'clock' | 'random' | 'visits'>,
): EngagementCounter {
  const { db, log } = deps;
  const visitors = createVisitors(deps);
  const notices = createNotifier(deps);
  const waiting = createWaitingEngagements(deps, (row) => notices.tell([row]));
  let unwritten = 0;

  async function count(engagement: Engagement): Promise<void> {
    try {
      await withTimeout(take(engagement), ANSWER_MS);
    } catch (error) {
      if (isRateLimited(error)) throw error;
      log.warn({ err: error, codeId: engagement.codeId }, 'an engagement is not counted yet');
    }
  }

  async function take(engagement: Engagement): Promise<void> {
    if ((await isWritten(engagement, true)) || unwritten >= MOST_UNWRITTEN) return;
    void takeAgain(engagement);
  }

  async function takeAgain(engagement: Engagement): Promise<void> {
    unwritten += 1;
    let pauseMs = FIRST_RETRY_MS;
    do {
      await delay(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(pauseMs * 2, LAST_RETRY_MS);
    } while (!(await isWritten(engagement, false)));
    unwritten -= 1;
  }

  /** False where the database failed; another try is due then. */
  async function isWritten(engagement: Engagement, isFirstTry: boolean): Promise<boolean> {
    const { codeId, kind, at, clientIp, userAgent } = engagement;
    try {
      const day = dayOf(at.getTime());
      const numberOf = await visitors.onDays([day]);
      const visitor = numberOf(day, clientIp, userAgent);
      if (visitor === null) return true;
      // The limit goes by the number of the address, so that no address is stored.
      if (isFirstTry)
        await consumeRateLimit(db.orm, LIMIT, `${numberOf(day, ipRateLimitKey(clientIp), '')}`, at);
      const row = { codeId, day, visitor, kind };
      const { isVisitor, isNew } = await countEngagement(db, row);
      if (isNew) notices.tell([row]);
      if (!isVisitor) await waiting.keep(row);
      return true;
    } catch (error) {
      if (isRateLimited(error)) throw error;
      log.warn({ err: error, codeId }, 'an engagement could not be written');
      return false;
    }
  }

  return { count };
}
