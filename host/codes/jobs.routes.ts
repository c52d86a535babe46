import { getJob, listJobProblems, listJobs, startBulkAct, stopJob } from '#contract/jobs';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { findNumbers } from './codes.list.store';
import { lockOwner } from './codes.store';
import type { Collections } from './collections';
import { presentJob } from './jobs.present';
import { recordEnd, runBatch } from './jobs.run';
import * as store from './jobs.store';
import { BULK_ACTS_PER_ACCOUNT } from './limits';

const LISTED = 20;

export function mountJobs({ mount }: Router, deps: Deps, collections: Collections): void {
  const { db, clock } = deps;

  mount(startBulkAct, async ({ caller, body }) => {
    const { act, tag = null, style = null, ids, filter, key = null } = body;
    if (act !== 'delete' && !caller.running) throw new ApiError('subscription_required');
    const now = clock.now();
    await consumeRateLimit(db.orm, BULK_ACTS_PER_ACCOUNT, caller.accountId, now);
    const { numbers, missing } = ids
      ? await store.selectNamed(db.orm, caller.accountId, ids)
      : { numbers: filter ? await findNumbers(collections, caller.accountId, filter) : [], missing: [] };
    const total = numbers.length + missing.length;
    const job = { kind: 'bulk' as const, act, tag, style, importId: null, key, numbers, missing, total };
    const started = await store.insertJob(db.orm, caller.accountId, job, now);
    // Few codes are done at once; what another host is at, or what fails, is left to the background.
    let left = ids && started.status === 'running';
    while (left) left = (await runBatch(deps, started.id))?.status === 'running';
    return { data: presentJob(await store.findJob(db.orm, caller.accountId, started.id)) };
  });

  mount(getJob, async ({ caller, params }) => ({
    data: presentJob(await store.findJob(db.orm, caller.accountId, params.id)),
  }));

  mount(listJobProblems, async ({ caller, params, query }) => {
    const job = await store.findJob(db.orm, caller.accountId, params.id);
    const data = await store.listProblems(db.orm, job, query);
    return { data, meta: { ...query, total: job.failed } };
  });

  mount(stopJob, async ({ caller, params }) => {
    const now = clock.now();
    const { id } = await store.findJob(db.orm, caller.accountId, params.id);
    await db.orm.transaction(async (transaction) => {
      await lockOwner(transaction, caller.accountId);
      const stopped = await store.stopJob(transaction, id, now);
      if (stopped) await recordEnd(transaction, stopped, now);
    });
    return { data: presentJob(await store.findJob(db.orm, caller.accountId, id)) };
  });

  mount(listJobs, async ({ caller }) => ({
    data: (await store.listJobs(db.orm, caller.accountId, LISTED)).map(presentJob),
  }));
}
