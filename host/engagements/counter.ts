import { setTimeout as delay } from 'node:timers/promises';
import { utcDay } from '#contract/time';
import { withTimeout } from '#host/db/timeout';
import type { Deps } from '#host/http/deps';
import { isRateLimited } from '#host/http/errors';
import { consumeRateLimit } from '#host/http/rate-limit';
import { createNotifier } from '#host/visits/count/notifier';
import type { VisitorSalts } from '#host/visits/count/visitor-salts';
import { ipRateLimitKey } from '#runtime/ip-rate-limit-key';
import { countEngagement, type EngagementRow } from './store';
import { createWaitingEngagements } from './waiting';

interface Engagement {
  codeId: string;
  kind: EngagementRow['kind'];
  at: Date;
  /** Used with the user agent for the visitor's number of the day, and never stored. */
  clientIp: string;
  userAgent: string;
}

interface EngagementCounter {
  /**
   * Resolves when the engagement is committed, or after a quarter of a second if the database is slow or down. Rejects
   * only with `rate_limited`, if a client IP reports too many.
   */
  count(engagement: Engagement): Promise<void>;
}

const MAX_WAIT_MS = 250;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Most engagements that may wait for an unavailable database. */
const MAX_UNWRITTEN = 1_000;
/** Generous, because many phones may share one address. */
const RATE_LIMIT = { name: 'engagement', points: 300, windowSeconds: 60 };

/**
 * Never delays a person: failed writes are retried until they succeed, and an engagement that arrives before its visit
 * is counted waits in the database.
 */
export function createEngagementCounter(
  deps: Pick<Deps, 'db' | 'log'>,
  salts: VisitorSalts,
): EngagementCounter {
  const { db, log } = deps;
  const notifier = createNotifier(deps);
  const waiting = createWaitingEngagements(deps, (row) => notifier.notify([row]));
  let unwritten = 0;

  async function count(engagement: Engagement): Promise<void> {
    try {
      await withTimeout(countOrRetry(engagement), MAX_WAIT_MS);
    } catch (error) {
      if (isRateLimited(error)) throw error;
      log.warn({ err: error, codeId: engagement.codeId }, 'an engagement is not counted yet');
    }
  }

  async function countOrRetry(engagement: Engagement): Promise<void> {
    if ((await tryWrite(engagement, true)) || unwritten >= MAX_UNWRITTEN) return;
    void retry(engagement);
  }

  async function retry(engagement: Engagement): Promise<void> {
    unwritten += 1;
    let pauseMs = FIRST_RETRY_MS;
    do {
      await delay(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(pauseMs * 2, MAX_RETRY_MS);
    } while (!(await tryWrite(engagement, false)));
    unwritten -= 1;
  }

  /** False if the database failed and a retry is due. */
  async function tryWrite(engagement: Engagement, isFirstTry: boolean): Promise<boolean> {
    const { codeId, kind, at, clientIp, userAgent } = engagement;
    try {
      const day = utcDay(at);
      const hashVisitor = await salts.load([day]);
      const visitor = hashVisitor(day, clientIp, userAgent);
      if (visitor === null) return true;
      // The limit uses a hash, so that no IP address is stored.
      if (isFirstTry)
        await consumeRateLimit(db.orm, RATE_LIMIT, `${hashVisitor(day, ipRateLimitKey(clientIp), '')}`, at);
      const row = { codeId, day, visitor, kind };
      const { isVisitor, isNew } = await countEngagement(db, row);
      if (isNew) notifier.notify([row]);
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
