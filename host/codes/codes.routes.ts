import { randomUUID } from 'node:crypto';
import { addressKey } from '#contract/address-key';
import { done } from '#contract/call';
import {
  createCode,
  deleteCode,
  getCode,
  getCodeDeletion,
  getCodeLogo,
  listCodes,
  updateCode,
} from '#contract/codes';
import { recordActivity } from '#host/accounts/activities';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { presentCode } from './codes.present';
import * as store from './codes.store';
import { readContent, shownContent } from './contents';
import { deleteDraft, findDraft, getLogoPng, insertLogo } from './drafts.store';
import { CREATIONS_PER_ACCOUNT, UPLOADS_PER_ACCOUNT, UPLOADS_PER_IP } from './limits';
import type { Uploader } from './logo-drawing';
import { readLogo } from './logo-images';
import { makeSlug } from './slugs';

export function mountCodes({ mount }: Router, deps: Deps, presets: ReadonlyMap<string, unknown>): void {
  const { db, clock, settings } = deps;
  const present = (row: store.CodeRow) => presentCode(row, settings.shortUrl);

  mount(listCodes, async ({ caller, query }) => {
    const [rows, total] = await Promise.all([
      store.listCodes(db.orm, caller.accountId, query.page, query.limit),
      store.countCodes(db.orm, caller.accountId),
    ]);
    return { data: rows.map(present), meta: { page: query.page, limit: query.limit, total } };
  });

  mount(createCode, async ({ caller, form, clientIp, context }) => {
    const now = clock.now();
    const { subject, body } = form.parameters;
    const read = readContent(form.type, { content: form.data, subject, body }, settings);
    if ('refused' in read) {
      const { content, ...others } = read.refused;
      throw new ApiError('invalid', { fields: { ...others, ...(content && { data: content }) } });
    }
    if (form.type === 'wifi' && !form.isPublic) throw invalidField('isPublic', 'wifi_public');
    if (form.logoPreset && !presets.has(form.logoPreset)) throw invalidField('logoPreset', 'preset_unknown');
    // Before the limits and the logo: a form that is posted again finds its first code and leaves nothing behind.
    const earlier = form.key ? await store.findCodeByKey(db.orm, caller.accountId, form.key) : null;
    if (earlier) return { data: present(await ownCode(deps, caller.accountId, earlier)) };
    await consumeRateLimit(db.orm, CREATIONS_PER_ACCOUNT, caller.accountId, now);
    if (form.logo) {
      await consumeRateLimit(db.orm, UPLOADS_PER_ACCOUNT, caller.accountId, now);
      await consumeRateLimit(db.orm, UPLOADS_PER_IP, clientIp, now);
    }
    const draft = form.draft && form.visitor ? await findDraft(db.orm, form.draft, form.visitor, now) : null;
    const logoId = form.logo
      ? await keepLogo(deps, form.logo, {
          account: caller.accountId,
          address: addressKey(clientIp),
          signal: context.req.raw.signal,
        })
      : form.logoPreset
        ? null
        : (draft?.logoId ?? null);
    const created = await store.insertOwnDesign(db.orm, settings.accountLogosBytes, {
      id: randomUUID(),
      accountId: caller.accountId,
      slug: makeSlug(deps.random),
      type: form.type,
      ...read.values,
      visibility: form.isPublic ? 'public' : 'private',
      useWhiteBackground: form.parameters.useWhiteBackground,
      logoId,
      logoPreset: form.logoPreset ?? null,
      formKey: form.key ?? null,
      createdAt: now,
      updatedAt: now,
    });
    if (created.isNew) await recordActivity(db.orm, caller.accountId, 'qrcode_create', now);
    if (draft) await deleteDraft(db.orm, draft.id);
    return { data: present(await ownCode(deps, caller.accountId, created.id)) };
  });

  mount(getCode, async ({ caller, params }) => {
    const code = await ownCode(deps, caller.accountId, params.id);
    const changes = await store.listChanges(db.orm, code.id);
    return {
      data: {
        code: present(code),
        changes: changes.map(({ at, ...change }) => ({ at: at.toISOString(), ...change })),
      },
    };
  });

  mount(updateCode, async ({ caller, params, body }) => {
    const code = await ownCode(deps, caller.accountId, params.id);
    const changes = readChanges(code, body, settings, clock.now());
    if (changes.length > 0 && (await store.changeCode(db.orm, code, changes, clock.now())))
      await recordActivity(db.orm, caller.accountId, 'qrcode_update', clock.now());
    return { data: present(await ownCode(deps, caller.accountId, params.id)) };
  });

  mount(deleteCode, async ({ caller, params }) => {
    const isDeleted = await store.deleteCode(db.orm, caller.accountId, params.id, clock.now());
    if (isDeleted) await recordActivity(db.orm, caller.accountId, 'qrcode_delete', clock.now());
    // Deleted in another window: what was asked for is done.
    else if (!(await store.findDeletion(db.orm, caller.accountId, params.id)))
      throw new ApiError('not_found');
    return done('qrcode_deleted');
  });

  mount(getCodeDeletion, async ({ caller, params }) => {
    const deletedAt = await store.findDeletion(db.orm, caller.accountId, params.id);
    if (!deletedAt) throw new ApiError('not_found');
    return { data: { deletedAt: deletedAt.toISOString() } };
  });

  mount(getCodeLogo, async ({ caller, params }) => {
    const code = await ownCode(deps, caller.accountId, params.id);
    const png = code.logoId ? await getLogoPng(db.orm, code.logoId) : null;
    if (!png) throw new ApiError('not_found');
    return new Response(png, {
      headers: { 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=3600' },
    });
  });
}

/** Stores an uploaded logo, drawn anew; answers its id. */
export async function keepLogo({ db, clock, log }: Deps, file: File, uploader: Uploader): Promise<string> {
  const id = randomUUID();
  await insertLogo(db.orm, { id, ...(await readLogo(file, uploader, log)), createdAt: clock.now() });
  return id;
}

async function ownCode({ db }: Deps, accountId: string, id: string): Promise<store.CodeRow> {
  const code = await store.findCode(db.orm, accountId, id);
  if (code) return code;
  const isDeleted = await store.findDeletion(db.orm, accountId, id);
  throw new ApiError(isDeleted ? 'code_deleted' : 'not_found');
}

const TEXTS = ['content', 'subject', 'body'] as const;
type Wanted = { content?: string; subject?: string; body?: string; visibility?: 'private' | 'public' };

function readChanges(
  code: store.CodeRow,
  wanted: Wanted,
  settings: Deps['settings'],
  at: Date,
): store.Change[] {
  if (code.type === 'wifi' && wanted.visibility === 'private')
    throw invalidField('visibility', 'wifi_public');
  if (wanted.content !== undefined && code.type === 'wifi') throw invalidField('content', 'wifi_fixed');
  const before = { ...code, content: shownContent(code) };
  const after: Wanted = { visibility: wanted.visibility };
  // What is not changed is not refused either: rules may have been others when it was made.
  if (TEXTS.some((field) => wanted[field] !== undefined && wanted[field] !== before[field])) {
    const { content = before.content, subject = code.subject, body = code.body } = wanted;
    const read = readContent(code.type, { content, subject, body }, settings);
    if ('refused' in read) throw new ApiError('invalid', { fields: read.refused });
    Object.assign(after, read.values);
  }
  return ([...TEXTS, 'visibility'] as const).flatMap((field) => {
    const value = after[field];
    return value === undefined || value === before[field]
      ? []
      : [{ at, field, before: before[field], after: value }];
  });
}
