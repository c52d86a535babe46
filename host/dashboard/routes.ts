import { mainFieldOf } from '#contract/contents/contents';
import { getOverview, RECENT_FIGURES_DAYS } from '#contract/dashboard';
import type { UnfinishedDesign } from '#contract/drafts';
import { listActivities } from '#host/accounts/activities';
import { findProfile } from '#host/accounts/store';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { readDraft, withDisplayedContent } from '#host/codes/contents/contents';
import { findUnfinishedDraft } from '#host/codes/drafts/store';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { readStatistics } from '#host/statistics/statistics';

const ACTIVITIES = 20;

export function mountDashboard({ mount }: Router, deps: Deps): void {
  const { db, clock, countries } = deps;
  mount(getOverview, async ({ caller, query }) => {
    const now = clock.now();
    const filter = { period: RECENT_FIGURES_DAYS, code: null, tag: null, timeZone: query.timeZone } as const;
    const [stats, profile, activities, unfinishedDesign] = await Promise.all([
      db.reads.exact(caller.position, (orm) =>
        readStatistics(orm, caller.accountId, filter, { now, countriesAsOf: countries.asOf }),
      ),
      findProfile(db.orm, caller.accountId, now),
      listActivities(db.orm, caller.accountId, ACTIVITIES),
      findUnfinishedDesign(deps, caller.accountId, now),
    ]);
    const subscription = profile?.subscription ?? null;
    const recentActivities = activities.map((one) => ({
      ...one,
      code: one.code && withDisplayedContent(one.code),
    }));
    return { data: { stats, subscription, recentActivities, unfinishedDesign } };
  });
}

/** A design saved before the purchase that could not become a code, with the first reason; or null. */
async function findUnfinishedDesign(
  { db, settings }: { db: { orm: Orm }; settings: Deps['settings'] },
  accountId: string,
  now: Date,
): Promise<UnfinishedDesign | null> {
  const draft = await findUnfinishedDraft(db.orm, accountId, now);
  if (!draft) return null;
  const { type, name } = draft.fields;
  const read = readDraft(draft.fields, await readLinkRules(db.orm, settings));
  const [reason = null] = 'refused' in read ? Object.values(read.refused).flat() : [];
  return { id: draft.id, type, name: (name || String(draft.fields[mainFieldOf(type)])).trim(), reason };
}
