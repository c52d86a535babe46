import { getStatistics } from '#contract/statistics';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { readStatistics } from './statistics';

export function mountStatistics({ mount }: Router, { db, clock }: Deps): void {
  mount(getStatistics, async ({ caller, body }) => ({
    data: await readStatistics(db.orm, caller.accountId, body, clock.now()),
  }));
}
