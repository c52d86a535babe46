import { getOverview } from '#contract/dashboard';
import { findProfile } from '#host/accounts/accounts.store';
import { listActivities } from '#host/accounts/activities';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { readStats } from './dashboard.store';

const ACTIVITIES = 20;

export function mountDashboard({ mount }: Router, { db, clock }: Deps): void {
  mount(getOverview, async ({ caller }) => {
    const now = clock.now();
    const [stats, profile, recentActivities] = await Promise.all([
      readStats(db.orm, caller.accountId, now),
      findProfile(db.orm, caller.accountId, now),
      listActivities(db.orm, caller.accountId, ACTIVITIES),
    ]);
    return { data: { stats, subscription: profile?.subscription ?? null, recentActivities } };
  });
}
