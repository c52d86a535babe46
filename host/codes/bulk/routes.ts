import { CODES_AT_ONCE } from '#contract/codes';
import { getJob, listJobProblems, listJobs, startBulkAct, stopJob } from '#contract/jobs';
import { lockOwner } from '#host/codes/code/store';
import { countReported, listImportedIds } from '#host/codes/import/store';
import { BULK_ACTS_PER_ACCOUNT } from '#host/codes/limits';
import { requireLogo } from '#host/codes/logos/choice';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { findNumbers } from '#host/codes/search/list';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { recordEnd, runBatch } from './run';
import * as store from './store';
import { presentJob } from './store';

const LISTED = 20;

export function mountJobs(
  { mount }: Router,
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  codeIndexes: CodeIndexes,
): void {
  const { db, clock } = deps;

  mount(startBulkAct, async ({ caller, body }) => {
    const { key, ...sent } = body;
    const { act, tag = null, style = null, logo = null, ids, filter, expected } = sent;
    if (act !== 'delete' && !caller.isSubscribed) throw new ApiError('subscription_required');
    await requireLogo(db.orm, presets, caller.accountId, logo);
    const now = clock.now();
    await consumeRateLimit(db.orm, BULK_ACTS_PER_ACCOUNT, caller.accountId, now);
    const { numbers, missing, deleted } = ids
      ? await store.selectNamed(db.orm, caller.accountId, ids, act)
      : {
          numbers: filter ? await findNumbers(codeIndexes, caller.accountId, filter) : [],
          missing: [],
          deleted: 0,
        };
    const total = numbers.length + missing.length + deleted;
    const job = {
      kind: 'bulk' as const,
      act,
      tag,
      style,
      logo,
      importId: null,
      key: key ? formKeyOf(key, sent) : null,
      numbers,
      missing,
      total,
      expected,
      succeeded: deleted,
    };
    const started = await store.insertJob(db.orm, caller.accountId, job, now);
    // A few codes are done right away, by this host or another; what fails is left to the background.
    let isRunning = ids && started.status === 'running';
    while (isRunning) isRunning = (await runBatch(deps, started.id))?.status === 'running';
    return { data: presentJob(await store.findJob(db.orm, caller.accountId, started.id)) };
  });

  mount(getJob, async ({ caller, params }) => {
    const job = await store.findJob(db.orm, caller.accountId, params.id);
    const { importId, status, succeeded } = job;
    const reported = importId ? await countReported(db.orm, importId) : null;
    const areListed = importId && status !== 'running' && succeeded <= CODES_AT_ONCE;
    const codeIds = areListed ? await listImportedIds(db.orm, caller.accountId, importId) : [];
    return { data: { ...presentJob(job), ...(reported ?? { mistakes: 0, duplicates: 0 }), codeIds } };
  });

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
