import { cursorOf } from '#contract/call';
import { SLUG_EXAMPLE } from '#contract/campaign';
import { readCodeFile } from '#contract/code-files';
import { refusalsOf } from '#contract/contents/contents';
import { createPublicCode, listPublicCodes, readPublicCode } from '#contract/public-codes';
import { type Blocks, readBlocks, readLinkRules } from '#host/codes/blocks/blocking';
import { readFields } from '#host/codes/contents/contents';
import { CREATIONS_PER_ACCOUNT } from '#host/codes/limits';
import { readLogoChoice, requireLogo } from '#host/codes/logos/choice';
import { storedStyle } from '#host/codes/looks/store';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { findCodesBefore } from '#host/codes/search/list';
import type { Orm } from '#host/db/client';
import { tried } from '#host/db/tried';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { requireCampaign } from './campaign';
import { requireCountable, versionOf } from './change';
import { createCodes } from './create';
import { presentCode } from './present';
import * as store from './store';
import { withTag } from './tags';

/** Calls that only programs make. */
export function mountPublicCodes(
  { mount, document }: Router,
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  codeIndexes: CodeIndexes,
): void {
  const { db, clock, settings, log } = deps;
  const { shortUrl } = settings;
  const present = (row: store.CodeRow, blocks: Blocks) =>
    presentCode(row, blocks, { shortUrl, log, now: clock.now() });

  document(readCodeFile);
  mount(listPublicCodes, async ({ caller, query }) => {
    const { limit, cursor, ...filter } = query;
    const { accountId, tag } = caller;
    const { ids, next } = await findCodesBefore(
      codeIndexes,
      accountId,
      { ...filter, within: tag },
      { before: cursor, limit },
    );
    const rows = await store.readCodes(db.orm, accountId, ids);
    const blocks = await readBlocks(db.orm, rows);
    return {
      data: rows.map((row) => present(row, blocks)),
      hasMore: next !== null,
      nextCursor: next === null ? null : cursorOf(next),
    };
  });

  mount(readPublicCode, async ({ caller, params, context }) => {
    const code = await store.requireCode(db.orm, caller.accountId, params.id);
    context.header('ETag', versionOf(code));
    return { data: present(code, await readBlocks(db.orm, [code])) };
  });

  mount(createPublicCode, async ({ caller: { accountId, tag }, body, isTrial, once, context }) => {
    const { name = null, visibility, counted, style, logo = { kind: 'none' as const } } = body;
    const { campaign = null, ...fields } = body;
    const now = clock.now();
    const rules = await readLinkRules(db.orm, settings);
    const read = readFields(fields, rules);
    if ('refused' in read) throw new ApiError('invalid', { fields: read.refused });
    const tags = tag ? withTag(body.tags, tag.label) : body.tags;
    const labels = { name, tags, slug: SLUG_EXAMPLE };
    requireCampaign({ type: fields.type, ...read.values, ...labels, campaign }, 'campaign', rules);
    const refusals = refusalsOf(fields.type);
    if (refusals && visibility === 'private') throw invalidField('visibility', refusals.hide);
    if (!counted) requireCountable(fields.type);
    await requireLogo(db.orm, presets, accountId, logo);
    await consumeRateLimit(db.orm, CREATIONS_PER_ACCOUNT, accountId, now);
    const create = async (orm: Orm) => {
      const { logoName: _name, ...chosen } = await readLogoChoice(orm, accountId, logo);
      const design = {
        type: fields.type,
        ...read.values,
        name,
        tags,
        visibility,
        isCounted: counted,
        style: storedStyle(style),
        campaign,
        ...chosen,
        formKey: once,
      };
      const [created] = await createCodes(orm, deps, accountId, [design], { now });
      return store.requireCode(orm, accountId, created?.id ?? '');
    };
    const code = await tried(db.orm, isTrial, create);
    context.header('ETag', versionOf(code));
    return { data: present(code, await readBlocks(db.orm, [code])) };
  });
}
