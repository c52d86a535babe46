import { getCodeVisits } from '#contract/code-visits';
import { RECENT_FIGURES_DAYS } from '#contract/dashboard';
import { getStatistics } from '#contract/statistics';
import { searchCodes } from '#contract/statistics-codes';
import type { Collections } from '#host/codes/collections';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { readCodeVisits } from './code-visits.store';
import type { StatisticsFilter } from './figures';
import { findCodesByText } from './ranked-codes.store';
import { readStatistics } from './statistics';

export function mountStatistics({ mount }: Router, { db, clock }: Deps, collections: Collections): void {
  mount(getStatistics, async ({ caller, body }) => ({ data: await figuresOf(caller, body) }));

  mount(getCodeVisits, async ({ caller, params: { id: code }, query: { timeZone } }) => {
    const recentFilter = timeZone && ({ period: RECENT_FIGURES_DAYS, code, tag: null, timeZone } as const);
    const [visits, statistics] = await Promise.all([
      db.reads.exact(caller.position, (orm) => readCodeVisits(orm, caller.accountId, code, clock.now())),
      recentFilter && figuresOf(caller, recentFilter),
    ]);
    if (!statistics) return { data: visits };
    const { period, figures } = statistics;
    return { data: { ...visits, recent: { period, figures } } };
  });

  mount(searchCodes, async ({ caller, query }) => ({
    data: await findCodesByText({ orm: db.orm, collections }, caller.accountId, query),
  }));

  async function figuresOf({ position, accountId }: Caller, filter: StatisticsFilter) {
    return db.reads.figures(position, (orm, behindMs) =>
      readStatistics(orm, accountId, filter, { now: clock.now(), behindMs }),
    );
  }
}
