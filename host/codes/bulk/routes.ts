import type { Body } from '#contract/call';
import { CODES_AT_ONCE } from '#contract/codes';
import { REDIRECTED_TYPES } from '#contract/contents/contents';
import {
  getJob,
  jobCursorOf,
  listJobProblems,
  listJobs,
  listPublicJobs,
  PREVIEWED_CODES,
  previewRetarget,
  type Retarget,
  startBulkAct,
  stopJob,
} from '#contract/jobs';
import { foldLabel } from '#contract/labels';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { lockOwner } from '#host/codes/code/store';
import { displayedContent, readContent } from '#host/codes/contents/contents';
import { countReported, listImportedIds } from '#host/codes/import/store';
import { BULK_ACTS_PER_ACCOUNT, BULK_PREVIEWS_PER_ACCOUNT } from '#host/codes/limits';
import { requireLogo } from '#host/codes/logos/choice';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { findNumbers } from '#host/codes/search/list';
import { tried } from '#host/db/tried';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, limitFor } from '#host/http/rate-limit';
import { planRetarget } from './retarget';
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

  mount(startBulkAct, async ({ caller, body, isTrial, once }) => {
    const { key, ...sent } = body;
    const { act, tag = null, style = null, logo = null, retarget = null, ids, expected } = sent;
    if (act !== 'delete' && !caller.isSubscribed) throw new ApiError('subscription_required');
    if (act === 'untag' && caller.tag && foldLabel(tag ?? '') === foldLabel(caller.tag.label))
      throw invalidField('tag', 'tag_of_key');
    await requireLogo(db.orm, presets, caller.accountId, logo);
    const now = clock.now();
    await consumeRateLimit(db.orm, limitFor(BULK_ACTS_PER_ACCOUNT, isTrial), caller.accountId, now);
    const { missing, deleted, ...selected } = await select(caller, sent);
    const plan = retarget && (await planFor(caller.accountId, selected.numbers, retarget, 0));
    const numbers = plan ? plan.numbers : selected.numbers;
    const total = numbers.length + missing.length + deleted;
    const job = {
      kind: 'bulk' as const,
      act,
      tag,
      style,
      logo,
      retarget: act === 'retarget' ? retarget : null,
      importId: null,
      key: once ?? (key ? formKeyOf(key, sent) : null),
      withinTag: caller.tag?.label ?? null,
      numbers,
      missing,
      total,
      expected,
      succeeded: deleted,
    };
    const started = await tried(db.orm, isTrial, (orm) => store.insertJob(orm, caller.accountId, job, now));
    if (isTrial) return { data: presentJob(started) };
    // A few codes are done right away, by this host or another; what fails is left to the background.
    let isRunning = ids && started.status === 'running';
    while (isRunning) isRunning = (await runBatch(deps, started.id))?.status === 'running';
    return { data: presentJob(await store.findJob(db.orm, caller.accountId, started.id)) };
  });

  mount(previewRetarget, async ({ caller, body }) => {
    await consumeRateLimit(db.orm, BULK_PREVIEWS_PER_ACCOUNT, caller.accountId, clock.now());
    const { numbers } = await select(caller, { ...body, act: 'retarget' });
    const plan = await planFor(caller.accountId, numbers, body.retarget, PREVIEWED_CODES);
    const presented = ({ id, type, name, content }: (typeof plan.changes)[number]['code']) => {
      return { id, type, name, content: displayedContent({ type, content }) };
    };
    return {
      data: {
        changed: plan.numbers.length,
        changes: plan.changes.map(({ code, before, after }) => ({ ...presented(code), before, after })),
        left: plan.left,
        leftOut: plan.leftOut.map(({ code, reason }) => ({ ...presented(code), reason })),
      },
    };
  });

  /** The codes named by id or by filter. */
  async function select(
    { accountId, tag }: Pick<Caller, 'accountId' | 'tag'>,
    { ids, filter, act }: Pick<Body<typeof startBulkAct>, 'ids' | 'filter' | 'act'>,
  ) {
    if (ids) return store.selectNamed(db.orm, accountId, ids, act, tag);
    const numbers = filter ? await findNumbers(codeIndexes, accountId, { ...filter, within: tag }) : [];
    return { numbers, missing: [], deleted: 0 };
  }

  async function planFor(accountId: string, numbers: number[], retarget: Retarget, listed: number) {
    const rules = await readLinkRules(db.orm, deps.settings);
    const [type] = REDIRECTED_TYPES;
    if (retarget.kind === 'set' && type) {
      const read = readContent(type, { content: retarget.target, subject: '', body: '' }, rules);
      if ('refused' in read)
        throw new ApiError('invalid', { fields: { 'retarget/target': Object.values(read.refused).flat() } });
    }
    return planRetarget(db.orm, accountId, numbers, { retarget, rules, listed });
  }

  mount(getJob, async ({ caller, params }) => {
    const job = await store.findJob(db.orm, caller.accountId, params.id);
    const { importId, status, succeeded } = job;
    const reported = importId ? await countReported(db.orm, importId) : null;
    const areListed = importId && status !== 'running' && succeeded <= CODES_AT_ONCE;
    const codeIds = areListed ? await listImportedIds(db.orm, caller, importId) : [];
    return { data: { ...presentJob(job), ...(reported ?? { mistakes: 0, duplicates: 0 }), codeIds } };
  });

  mount(listJobProblems, async ({ caller, params, query }) => {
    const job = await store.findJob(db.orm, caller.accountId, params.id);
    const data = await store.listProblems(db.orm, job, query, caller.tag);
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
    data: (await store.listJobs(db.orm, caller, { limit: LISTED })).map(presentJob),
  }));

  mount(listPublicJobs, async ({ caller, query: { limit, cursor: before } }) => {
    const found = await store.listJobs(db.orm, caller, { limit: limit + 1, before });
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const nextCursor = last ? jobCursorOf(last) : null;
    return { data: rows.map(presentJob), hasMore: nextCursor !== null, nextCursor };
  });
}
