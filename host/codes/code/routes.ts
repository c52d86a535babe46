import { cursorOf, done } from '#contract/call';
import {
  CODES_AT_ONCE,
  copyCode,
  createCode,
  deleteCode,
  getCode,
  getCodeDeletion,
  listCodes,
  selectCodes,
  updateCode,
} from '#contract/codes';
import { refusalsOf } from '#contract/contents/contents';
import { checkDestinations } from '#contract/destination-checks';
import { listTags } from '#contract/labels';
import { DAY_MS } from '#contract/time';
import { recordActivity } from '#host/accounts/activities';
import { type Blocks, readBlocks, readLinkRules } from '#host/codes/blocks/blocking';
import { displayedContent, type LinkRules, readContent } from '#host/codes/contents/contents';
import { CHANGES_PER_ACCOUNT } from '#host/codes/limits';
import { requireLogo } from '#host/codes/logos/choice';
import { changeParts } from '#host/codes/routing/edits';
import { viewRouting } from '#host/codes/routing/routing';
import { readChange } from '#host/codes/routing/targets';
import type { CodeIndexes } from '#host/codes/search/indexes';
import {
  countVisited,
  findCodes,
  NO_VISITS,
  readMonthVisits,
  readRecentVisits,
} from '#host/codes/search/list';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, hourly } from '#host/http/rate-limit';
import { headerOf } from '#host/http/request-headers';
import { requireCampaign } from './campaign';
import { changeCode, requireCountable, requireVersion, versionOf, type WantedValues } from './change';
import { copyCode as copy } from './copy';
import { createFromForm } from './create-from-form';
import * as deletion from './deletion';
import { readChecks, requestChecks } from './destination-checks';
import { presentCode } from './present';
import * as store from './store';
import { listTags as readTags, withTag } from './tags';

const NO_MORE = { hasMore: false, nextCursor: null };
const CHECKS_PER_CODE = { name: 'destination-check', points: 1, windowSeconds: 60 };
const CHECKS_PER_ACCOUNT = hourly('destination-checks', 60);

export function mountCodes(
  { mount }: Router,
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  codeIndexes: CodeIndexes,
): void {
  const { db, clock, settings, log } = deps;
  const present = (row: store.CodeRow, blocks: Blocks) =>
    presentCode(row, blocks, { shortUrl: settings.shortUrl, log, now: clock.now() });
  const presentOne = async (row: store.CodeRow) => present(row, await readBlocks(db.orm, [row]));

  mount(listCodes, async ({ caller, query }) => {
    const { page, limit } = query;
    const found = findCodes(db.orm, codeIndexes, caller.accountId, query);
    const [visits30, total, recent, [rows, blocks]] = await Promise.all([
      readMonthVisits(db.orm, caller.accountId, clock.now()),
      found.then(({ total }) => total),
      found.then(({ ids }) => readRecentVisits(db.orm, ids, clock.now())),
      found.then(async ({ ids }) => {
        const rows = await store.readCodes(db.orm, caller.accountId, ids);
        return [rows, await readBlocks(db.orm, rows)] as const;
      }),
    ]);
    const data = rows.map((row) => {
      const code = present(row, blocks);
      const { days, month } = recent.get(row.id) ?? NO_VISITS;
      const recentVisits = code.dynamic && code.counted ? days : [];
      return Object.assign(code, { recentVisits, visits30: month });
    });
    return { data, meta: { page, limit, total, visits30 } };
  });

  mount(selectCodes, async ({ caller, body }) => {
    const { cursor, part = cursor, partSize } = body;
    // Without a part one more than allowed, so that too many are noticed instead of cut off.
    const search = part
      ? { ...body, page: part, limit: partSize }
      : { ...body, page: 1, limit: CODES_AT_ONCE + 1 };
    const { ids, total } = body.ids
      ? { ids: body.ids, total: body.ids.length }
      : await findCodes(db.orm, codeIndexes, caller.accountId, { ...search, within: caller.tag });
    if (ids.length > CODES_AT_ONCE) {
      if (caller.key) throw new ApiError('too_many');
      return { data: [], meta: { total: Math.max(total, ids.length) }, ...NO_MORE };
    }
    const rows = await store.readCodes(db.orm, caller.accountId, ids, caller.tag);
    const blocks = await readBlocks(db.orm, rows);
    const data = rows.map((row) => present(row, blocks));
    const meta = { total: part ? total : rows.length };
    const hasMore = part !== undefined && part * partSize < total;
    const more = hasMore ? { hasMore, nextCursor: cursorOf(part + 1) } : NO_MORE;
    if (!body.countsVisited) return { data, meta, ...more };
    const since = new Date(clock.now().getTime() - 30 * DAY_MS);
    const visited = body.ids
      ? rows.filter(({ lastAt }) => lastAt && lastAt >= since).length
      : await countVisited(codeIndexes, caller.accountId, { ...body, within: caller.tag }, since);
    return { data, meta: { ...meta, visited }, ...more };
  });

  mount(listTags, async ({ caller }) => ({
    data: await db.reads.exact(caller.position, (orm) => readTags(orm, caller.accountId, caller.tag)),
  }));

  mount(createCode, async ({ caller, form, clientIp, context }) => {
    const { signal } = context.req.raw;
    const id = await createFromForm(deps, presets, form, { accountId: caller.accountId, clientIp, signal });
    return { data: await presentOne(await store.requireCode(db.orm, caller.accountId, id)) };
  });

  mount(copyCode, async ({ caller, params, body, isTrial, once, context }) => {
    const code = await copy(deps, caller.accountId, params.id, { ...body, isTrial, once });
    context.header('ETag', versionOf(code));
    return { data: await presentOne(code) };
  });

  mount(getCode, async ({ caller, params }) => {
    const code = await store.requireCode(db.orm, caller.accountId, params.id);
    const changes = await store.listChanges(db.orm, code.id);
    return {
      data: {
        code: await presentOne(code),
        routing: code.routing && viewRouting(code.routing),
        changes: changes.map(({ at, ...change }) => ({ at: at.toISOString(), ...change })),
        checks: settings.checksDestinations ? await readChecks(db.orm, code.id, clock.now()) : [],
      },
    };
  });

  mount(checkDestinations, async ({ caller, params }) => {
    const code = await store.requireCode(db.orm, caller.accountId, params.id);
    const now = clock.now();
    await consumeRateLimit(db.orm, CHECKS_PER_CODE, code.id, now);
    await consumeRateLimit(db.orm, CHECKS_PER_ACCOUNT, caller.accountId, now);
    await requestChecks(db.orm, code.id, now);
    return done('code_check_requested');
  });

  mount(updateCode, async ({ caller, params, body, context }) => {
    const code = await store.requireCode(db.orm, caller.accountId, params.id);
    const now = clock.now();
    await consumeRateLimit(db.orm, CHANGES_PER_ACCOUNT, caller.accountId, now);
    const { name, archived, counted, watched, style, logo, routing, campaign } = body;
    const tags = body.tags && caller.tag ? withTag(body.tags, caller.tag.label) : body.tags;
    if (counted === false) requireCountable(code.type);
    await requireLogo(db.orm, presets, caller.accountId, logo);
    const rules = await readLinkRules(db.orm, settings);
    const total = (code.scans ?? 0) + (code.clicks ?? 0);
    const readTexts = (before: Texts) => readContents(before, body, rules);
    const change = routing && (await readChange(db.orm, code, routing, { rules, now }));
    const wanted = {
      contents: readTexts,
      name,
      tags,
      archived,
      counted,
      watched,
      style,
      logo,
      campaign,
      ...(change && { routing: changeParts(change, { now, total }) }),
    };
    const { content = code.content } = readTexts(code);
    if (campaign) requireCampaign({ ...code, content, campaign }, 'campaign', rules);
    else if (content !== code.content) requireCampaign({ ...code, content }, 'content', rules);
    const isChanged = await db.orm.transaction(async (transaction) => {
      await requireVersion(transaction, code, headerOf(context, 'if-match'));
      return changeCode(transaction, code, wanted, now);
    });
    if (isChanged) await recordActivity(db.orm, caller.accountId, 'qrcode_update', now, { codeId: code.id });
    const changed = await store.requireCode(db.orm, caller.accountId, params.id);
    context.header('ETag', versionOf(changed));
    return { data: await presentOne(changed) };
  });

  mount(deleteCode, async ({ caller, params, context }) => {
    const own = { accountId: caller.accountId, id: params.id };
    const isDeleted = await db.orm.transaction(async (transaction) => {
      await requireVersion(transaction, own, headerOf(context, 'if-match'));
      return deletion.deleteCode(transaction, own.accountId, own.id, clock.now());
    });
    if (isDeleted)
      await recordActivity(db.orm, caller.accountId, 'qrcode_delete', clock.now(), { codeId: params.id });
    // Already deleted in another window: nothing left to do.
    else if (!(await deletion.findDeletion(db.orm, caller.accountId, params.id)))
      throw new ApiError('not_found');
    return done('qrcode_deleted');
  });

  mount(getCodeDeletion, async ({ caller, params }) => {
    const found = await deletion.findDeletion(db.orm, caller.accountId, params.id);
    if (!found) throw new ApiError('not_found');
    const { deletedAt, eraseAt } = found;
    const restorableUntil = eraseAt && eraseAt > clock.now() ? eraseAt.toISOString() : null;
    return { data: { deletedAt: deletedAt.toISOString(), restorableUntil } };
  });
}

const TEXTS = ['content', 'subject', 'body'] as const;
type Texts = Pick<store.CodeRow, 'type' | (typeof TEXTS)[number]>;

/** The new content for visitors; refuses what is not allowed. */
function readContents(
  code: Texts,
  wanted: Pick<WantedValues, (typeof TEXTS)[number] | 'visibility'>,
  rules: LinkRules,
): WantedValues {
  const refusals = refusalsOf(code.type);
  if (refusals && wanted.visibility === 'private') throw invalidField('visibility', refusals.hide);
  if (refusals && wanted.content !== undefined) throw invalidField('content', refusals.change);
  const before = { ...code, content: displayedContent(code) };
  const { visibility } = wanted;
  // Unchanged values are not checked again: the rules may have changed since.
  if (TEXTS.every((field) => wanted[field] === undefined || wanted[field] === before[field]))
    return { visibility };
  const { content = before.content, subject = code.subject, body = code.body } = wanted;
  const read = readContent(code.type, { content, subject, body }, rules);
  if ('refused' in read) throw new ApiError('invalid', { fields: read.refused });
  return { ...read.values, visibility };
}
