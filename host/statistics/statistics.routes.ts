import { getCodeVisits } from '#contract/code-visits';
import { getStatistics } from '#contract/statistics';
import { searchCodes } from '#contract/statistics-codes';
import type { Collections } from '#host/codes/collections';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { readCodeVisits } from './code-visits.store';
import { findCodesByText } from './ranked-codes.store';
import { readStatistics } from './statistics';

export function mountStatistics({ mount }: Router, { db, clock }: Deps, collections: Collections): void {
  mount(getStatistics, async ({ caller, body }) => ({
    data: await db.reads.figures(caller.position, (orm, behindMs) =>
      readStatistics(orm, caller.accountId, body, { now: clock.now(), behindMs }),
    ),
  }));

  mount(getCodeVisits, async ({ caller, params }) => ({
    data: await db.reads.exact(caller.position, (orm) =>
      readCodeVisits(orm, caller.accountId, params.id, clock.now()),
    ),
  }));

  mount(searchCodes, async ({ caller, query }) => ({
    data: await findCodesByText({ orm: db.orm, collections }, caller.accountId, query),
  }));
}
