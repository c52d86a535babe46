import { randomUUID } from 'node:crypto';
import { done } from '#contract/call';
import type { Draft } from '#contract/drafts';
import { claimDraft, discardDraft, getDraft, getDraftLogo, saveDraft } from '#contract/drafts';
import { DAY_MS } from '#contract/time';
import { readLinkRules } from '#host/codes/blocks/blocking';
import { readDraft } from '#host/codes/contents/contents';
import { DRAFT_UPLOADS_PER_IP, DRAFTS_PER_IP } from '#host/codes/limits';
import { storeLogo } from '#host/codes/logos/images';
import { getLogoPng } from '#host/codes/logos/store';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import * as store from './store';

const DRAFT_MS = 30 * DAY_MS;

export function mountDrafts({ mount }: Router, deps: Deps, presets: ReadonlyMap<string, unknown>): void {
  const { db, clock, settings } = deps;

  mount(saveDraft, async ({ form, clientIp, context }) => {
    const now = clock.now();
    if (form.logoPreset && !presets.has(form.logoPreset)) throw invalidField('logoPreset', 'preset_unknown');
    const before = form.id ? await ownDraft(form.id, form.visitor, now) : null;
    if (!before) await consumeRateLimit(db.orm, DRAFTS_PER_IP, clientIp, now);
    if (form.logo) await consumeRateLimit(db.orm, DRAFT_UPLOADS_PER_IP, clientIp, now);
    const uploader = { ...clientOf(clientIp), signal: context.req.raw.signal };
    const id = before?.id ?? randomUUID();
    const kept = form.removeLogo || form.logoPreset ? null : (before?.logoId ?? null);
    await store.putDraft(db.orm, {
      id,
      visitor: form.visitor,
      fields: form.fields,
      logoId: form.logo ? await storeLogo(deps, form.logo, uploader) : kept,
      logoPreset: form.logo ? null : (form.logoPreset ?? null),
      expiresAt: new Date(now.getTime() + DRAFT_MS),
    });
    return { data: await presentDraft(await ownDraft(id, form.visitor, now)) };
  });

  mount(getDraft, async ({ params, query }) => ({
    data: await presentDraft(await ownDraft(params.id, query.visitor, clock.now())),
  }));

  mount(getDraftLogo, async ({ params, query }) => {
    const draft = await ownDraft(params.id, query.visitor, clock.now());
    const png = draft.logoId ? await getLogoPng(db.orm, draft.logoId) : null;
    if (!png) throw new ApiError('not_found');
    return new Response(png, {
      headers: { 'Content-Type': 'image/png', 'Cache-Control': 'private, no-store' },
    });
  });

  mount(claimDraft, async ({ caller, params, body }) => {
    const now = clock.now();
    const claim = { id: params.id, accountId: caller.accountId, visitor: body.visitor, now };
    if (!(await store.claimDraft(db.orm, claim))) throw new ApiError('not_found');
    return { data: await presentDraft(await ownDraft(params.id, body.visitor, now)) };
  });

  mount(discardDraft, async ({ caller, params }) => {
    if (!(await store.discardDraft(db.orm, params.id, caller.accountId))) throw new ApiError('not_found');
    return done('draft_discarded');
  });

  async function ownDraft(id: string, visitor: string, now: Date): Promise<store.DraftRow> {
    const draft = await store.findDraft(db.orm, id, visitor, now);
    if (!draft) throw new ApiError('not_found');
    return draft;
  }

  async function presentDraft({ id, fields, logoId, logoName, logoPreset }: store.DraftRow): Promise<Draft> {
    const read = readDraft(fields, await readLinkRules(db.orm, settings));
    const uploaded = logoId ? ({ kind: 'upload', name: logoName ?? '' } as const) : null;
    const logo = logoPreset ? ({ kind: 'preset', name: logoPreset } as const) : uploaded;
    return { id, fields, logo, problems: 'refused' in read ? read.refused : {} };
  }
}
