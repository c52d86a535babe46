import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { takePoint } from '#host/http/rate-limit';
import { inTime } from '#host/visits/in-time';
import { createNotices } from '#host/visits/notices';
import { createVisitors, dayOf } from '#host/visits/visitors';
import { countEngagement, type EngagementRow } from './engagements.store';

interface Engagement {
  codeId: string;
  kind: EngagementRow['kind'];
  at: Date;
  /** Used with the user agent for the visitor's number of the day, and never written. */
  address: string;
  userAgent: string;
}

export interface EngagementCounter {
  /**
   * Resolves when the engagement has committed, or after a quarter of a second when the database is slow or away.
   * Rejects with `rate_limited` alone, when one client address tells too many.
   */
  count(engagement: Engagement): Promise<void>;
}

const ANSWER_MS = 250;
/** A visit that waits to be written while its person acts already is there by then. */
const SECOND_TRY_MS = 2_000;
const MOST_WAITING = 1_000;
/** Generous, because many phones may share one address. */
const LIMIT = { name: 'engagement', points: 300, windowSeconds: 60 };

/** Nothing here holds a person up: what cannot be counted is tried once more a little later and then given up. */
export function createEngagementCounter(deps: Pick<Deps, 'db' | 'log' | 'random'>): EngagementCounter {
  const { db, log } = deps;
  const visitors = createVisitors(deps);
  const notices = createNotices(deps);
  let waiting = 0;

  async function count(engagement: Engagement): Promise<void> {
    try {
      await inTime(take(engagement), ANSWER_MS);
    } catch (error) {
      if (isRefused(error)) throw error;
      log.warn({ err: error, codeId: engagement.codeId }, 'an engagement is not counted yet');
    }
  }

  async function take(engagement: Engagement): Promise<void> {
    if (!(await isSettled(engagement, true)) && waiting < MOST_WAITING) void takeAgain(engagement);
  }

  async function takeAgain(engagement: Engagement): Promise<void> {
    waiting += 1;
    await delay(SECOND_TRY_MS, undefined, { ref: false });
    await isSettled(engagement, false);
    waiting -= 1;
  }

  /** False where another try may help: the database failed, or knows of no visit. */
  async function isSettled(engagement: Engagement, isFirstTry: boolean): Promise<boolean> {
    const { codeId, kind, at, address, userAgent } = engagement;
    try {
      const day = dayOf(at.getTime());
      const numberOf = await visitors.onDays([day]);
      const visitor = numberOf(day, address, userAgent);
      if (visitor === null) return true;
      // The limit goes by the number of the address, so that no address is stored.
      if (isFirstTry) await takePoint(db.orm, LIMIT, `${numberOf(day, address, '')}`, at);
      const { isVisitor, isNew } = await countEngagement(db, { codeId, day, visitor, kind });
      if (isNew) notices.tell([engagement]);
      return isVisitor;
    } catch (error) {
      if (isRefused(error)) throw error;
      log.warn({ err: error, codeId }, 'an engagement could not be written');
      return false;
    }
  }

  return { count };
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'rate_limited';
}
