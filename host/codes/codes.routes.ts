import { randomUUID } from 'node:crypto';
import { done } from '#contract/call';
import {
  createCode,
  deleteCode,
  getCode,
  getCodeDeletion,
  getCodeLogo,
  listCodes,
  listTags,
  updateCode,
} from '#contract/codes';
import { ipRateLimitKey } from '#contract/ip-rate-limit-key';
import { recordActivity } from '#host/accounts/activities';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { changeCode, type WantedValues } from './codes.change';
import { createCodes } from './codes.create';
import { findCodes, NO_VISITS, readRecentVisits } from './codes.list.store';
import { presentCode } from './codes.present';
import * as store from './codes.store';
import type { Collections } from './collections';
import { readContent, shownContent } from './contents';
import { deleteDraft, findDraft, getLogoPng, insertLogo } from './drafts.store';
import { CREATIONS_PER_ACCOUNT, UPLOADS_PER_ACCOUNT, UPLOADS_PER_IP } from './limits';
import type { Uploader } from './logo-drawing';
import { readLogo } from './logo-images';
import { storedStyle } from './stored-styles';
import { listTags as readTags } from './tags.store';

export function mountCodes(
  { mount }: Router,
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  collections: Collections,
): void {
  const { db, clock, settings, log } = deps;
  const present = (row: store.CodeRow) => presentCode(row, settings.shortUrl, log);

  mount(listCodes, async ({ caller, query }) => {
    const { page, limit } = query;
    const { ids, total } = await findCodes(db.orm, collections, caller.accountId, query);
    const [rows, recent] = await Promise.all([
      store.readCodes(db.orm, caller.accountId, ids),
      readRecentVisits(db.orm, ids, clock.now()),
    ]);
    const data = rows.map((row) => {
      const code = present(row);
      return { ...code, recentVisits: code.dynamic ? (recent.get(row.id) ?? NO_VISITS) : [] };
    });
    return { data, meta: { page, limit, total } };
  });

  mount(listTags, async ({ caller }) => ({
    data: await db.reads.exact(caller.position, (orm) => readTags(orm, caller.accountId)),
  }));

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
          address: ipRateLimitKey(clientIp),
          signal: context.req.raw.signal,
        })
      : form.logoPreset
        ? null
        : (draft?.logoId ?? null);
    const [created] = await createCodes(
      db.orm,
      deps,
      caller.accountId,
      [
        {
          type: form.type,
          ...read.values,
          name: form.name ?? null,
          tags: form.tags ?? [],
          visibility: form.isPublic ? 'public' : 'private',
          useWhiteBackground: form.parameters.useWhiteBackground,
          logoId,
          logoPreset: form.logoPreset ?? null,
          style: storedStyle(form.parameters.style),
          formKey: form.key ?? null,
        },
      ],
      { now, logosBytes: settings.accountLogosBytes },
    );
    if (draft) await deleteDraft(db.orm, draft.id);
    return { data: present(await ownCode(deps, caller.accountId, created?.id ?? '')) };
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
    const now = clock.now();
    const { name, tags, archived, style } = body;
    const wanted = { ...readContents(code, body, settings), name, tags, archived, style };
    if (await changeCode(db.orm, code, wanted, now))
      await recordActivity(db.orm, caller.accountId, 'qrcode_update', now, { codeId: code.id });
    return { data: present(await ownCode(deps, caller.accountId, params.id)) };
  });

  mount(deleteCode, async ({ caller, params }) => {
    const isDeleted = await store.deleteCode(db.orm, caller.accountId, params.id, clock.now());
    if (isDeleted)
      await recordActivity(db.orm, caller.accountId, 'qrcode_delete', clock.now(), { codeId: params.id });
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

/** What visitors are to see from now on; refuses what cannot be. */
function readContents(
  code: store.CodeRow,
  wanted: Pick<WantedValues, (typeof TEXTS)[number] | 'visibility'>,
  settings: Deps['settings'],
): WantedValues {
  if (code.type === 'wifi' && wanted.visibility === 'private')
    throw invalidField('visibility', 'wifi_public');
  if (wanted.content !== undefined && code.type === 'wifi') throw invalidField('content', 'wifi_fixed');
  const before = { ...code, content: shownContent(code) };
  const { visibility } = wanted;
  // What is not changed is not refused either: rules may have been others when it was made.
  if (TEXTS.every((field) => wanted[field] === undefined || wanted[field] === before[field]))
    return { visibility };
  const { content = before.content, subject = code.subject, body = code.body } = wanted;
  const read = readContent(code.type, { content, subject, body }, settings);
  if ('refused' in read) throw new ApiError('invalid', { fields: read.refused });
  return { ...read.values, visibility };
}
