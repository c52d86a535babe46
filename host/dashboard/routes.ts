import { getOverview } from '#contract/dashboard';
import { listActivities } from '#host/accounts/activities';
import { findProfile } from '#host/accounts/store';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { readRecentFigures } from '#host/statistics/statistics';
import { findUnfinishedDesign, readStats } from './store';

const ACTIVITIES = 20;

export function mountDashboard({ mount }: Router, deps: Deps): void {
  const { db, clock } = deps;
  mount(getOverview, async ({ caller }) => {
    const now = clock.now();
    const [[stats, recentFigures], profile, recentActivities, unfinishedDesign] = await Promise.all([
      db.reads.exact(caller.position, (orm) =>
        Promise.all([readStats(orm, caller.accountId, now), readRecentFigures(orm, caller.accountId, now)]),
      ),
      findProfile(db.orm, caller.accountId, now),
      listActivities(db.orm, caller.accountId, ACTIVITIES),
      findUnfinishedDesign(deps, caller.accountId, now),
    ]);
    const subscription = profile?.subscription ?? null;
    return { data: { stats, subscription, recentActivities, unfinishedDesign, ...recentFigures } };
  });
}
