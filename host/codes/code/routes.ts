import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { done, type Form } from '#contract/call';
import {
  CODES_AT_ONCE,
  createCode,
  deleteCode,
  getCode,
  getCodeDeletion,
  listCodes,
  selectCodes,
  updateCode,
} from '#contract/codes';
import { refusalsOf } from '#contract/contents/contents';
import { listTags } from '#contract/labels';
import { getCodeLogo, getPreset, listPresets } from '#contract/logos';
import { recordActivity } from '#host/accounts/activities';
import { type Blocks, readBlocks, readLinkRules } from '#host/codes/blocks/blocking';
import { displayedContent, type LinkRules, readContent } from '#host/codes/contents/contents';
import { deleteDraft, findDraft, getLogoPng, insertLogo } from '#host/codes/drafts/store';
import { CREATIONS_PER_ACCOUNT, UPLOADS_PER_ACCOUNT, UPLOADS_PER_IP } from '#host/codes/limits';
import { readLogo, type Uploader } from '#host/codes/logos/images';
import { storedStyle } from '#host/codes/looks/store';
import type { Collections } from '#host/codes/search/indexes';
import { findCodes, NO_VISITS, readRecentVisits } from '#host/codes/search/list';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import { formKeyOf } from '#host/http/form-key';
import type { Router } from '#host/http/mount';
import { consumeRateLimit } from '#host/http/rate-limit';
import { changeCode, type WantedValues } from './change';
import { createCodes } from './create';
import { presentCode } from './present';
import * as store from './store';
import { listTags as readTags } from './tags';

export function mountCodes(
  { mount }: Router,
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  collections: Collections,
): void {
  const { db, clock, settings, log } = deps;
  const present = (row: store.CodeRow, blocks: Blocks) => presentCode(row, blocks, settings.shortUrl, log);
  const presentOne = async (row: store.CodeRow) => present(row, await readBlocks(db.orm, [row]));

  mount(listCodes, async ({ caller, query }) => {
    const { page, limit } = query;
    const { ids, total } = await findCodes(db.orm, collections, caller.accountId, query);
    const [[rows, blocks], recent] = await Promise.all([
      store
        .readCodes(db.orm, caller.accountId, ids)
        .then(async (rows) => [rows, await readBlocks(db.orm, rows)] as const),
      readRecentVisits(db.orm, ids, clock.now()),
    ]);
    const data = rows.map((row) => {
      const code = present(row, blocks);
      return { ...code, recentVisits: code.dynamic ? (recent.get(row.id) ?? NO_VISITS) : [] };
    });
    return { data, meta: { page, limit, total } };
  });

  mount(selectCodes, async ({ caller, body }) => {
    const { part, partSize } = body;
    // Without a part one more than allowed, so that too many are noticed instead of cut off.
    const search = part
      ? { ...body, page: part, limit: partSize }
      : { ...body, page: 1, limit: CODES_AT_ONCE + 1 };
    const { ids, total } = body.ids
      ? { ids: body.ids, total: body.ids.length }
      : await findCodes(db.orm, collections, caller.accountId, search);
    if (ids.length > CODES_AT_ONCE) return { data: [], meta: { total: Math.max(total, ids.length) } };
    const rows = await store.readCodes(db.orm, caller.accountId, ids);
    const blocks = await readBlocks(db.orm, rows);
    return { data: rows.map((row) => present(row, blocks)), meta: { total: part ? total : rows.length } };
  });

  mount(listTags, async ({ caller }) => ({
    data: await db.reads.exact(caller.position, (orm) => readTags(orm, caller.accountId)),
  }));

  mount(createCode, async ({ caller, form, clientIp, context }) => {
    const now = clock.now();
    const { subject, body } = form.parameters;
    const read = readContent(
      form.type,
      { content: form.data, subject, body },
      await readLinkRules(db.orm, settings),
    );
    if ('refused' in read) {
      const { content, ...others } = read.refused;
      throw new ApiError('invalid', { fields: { ...others, ...(content && { data: content }) } });
    }
    const refusals = refusalsOf(form.type);
    if (refusals && !form.isPublic) throw invalidField('isPublic', refusals.hide);
    if (form.logoPreset && !presets.has(form.logoPreset)) throw invalidField('logoPreset', 'preset_unknown');
    // The draft is read before the code: if it has just become a code, that code is found.
    const draft = form.draft && form.visitor ? await findDraft(db.orm, form.draft, form.visitor, now) : null;
    // Before the limits and the logo: a form that is posted again finds its first code and has no side effects.
    const formKey = form.key ? formKeyOf(form.key, await contentOfForm(form)) : null;
    const earlier = formKey && (await store.findCodeByKey(db.orm, caller.accountId, formKey));
    if (earlier) return { data: await presentOne(await ownCode(deps, caller.accountId, earlier)) };
    if (form.needsDraftLogo && !draft?.logoId && !form.logo && !form.logoPreset)
      throw invalidField('logo', 'draft_unknown');
    await consumeRateLimit(db.orm, CREATIONS_PER_ACCOUNT, caller.accountId, now);
    if (form.logo) {
      await consumeRateLimit(db.orm, UPLOADS_PER_ACCOUNT, caller.accountId, now);
      await consumeRateLimit(db.orm, UPLOADS_PER_IP, clientIp, now);
    }
    const logoId = form.logo
      ? await storeLogo(deps, form.logo, {
          ...clientOf(clientIp, caller.accountId),
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
          formKey,
        },
      ],
      { now, logosBytes: settings.accountLogosBytes },
    );
    if (draft) await deleteDraft(db.orm, draft.id);
    return { data: await presentOne(await ownCode(deps, caller.accountId, created?.id ?? '')) };
  });

  mount(getCode, async ({ caller, params }) => {
    const code = await ownCode(deps, caller.accountId, params.id);
    const changes = await store.listChanges(db.orm, code.id);
    return {
      data: {
        code: await presentOne(code),
        changes: changes.map(({ at, ...change }) => ({ at: at.toISOString(), ...change })),
      },
    };
  });

  mount(updateCode, async ({ caller, params, body }) => {
    const code = await ownCode(deps, caller.accountId, params.id);
    const now = clock.now();
    const { name, tags, archived, style } = body;
    const rules = await readLinkRules(db.orm, settings);
    const wanted = { ...readContents(code, body, rules), name, tags, archived, style };
    if (await changeCode(db.orm, code, wanted, now))
      await recordActivity(db.orm, caller.accountId, 'qrcode_update', now, { codeId: code.id });
    return { data: await presentOne(await ownCode(deps, caller.accountId, params.id)) };
  });

  mount(deleteCode, async ({ caller, params }) => {
    const isDeleted = await store.deleteCode(db.orm, caller.accountId, params.id, clock.now());
    if (isDeleted)
      await recordActivity(db.orm, caller.accountId, 'qrcode_delete', clock.now(), { codeId: params.id });
    // Already deleted in another window: nothing left to do.
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

/** Re-encodes and stores an uploaded logo; returns its id. */
export async function storeLogo({ db, clock, log }: Deps, file: File, uploader: Uploader): Promise<string> {
  const id = randomUUID();
  await insertLogo(db.orm, { id, ...(await readLogo(file, uploader, log)), createdAt: clock.now() });
  return id;
}

/** What distinguishes a form from an edited one. Without the draft, which is dropped when its code is created. */
async function contentOfForm(form: Form<typeof createCode>) {
  const { type, data, parameters, isPublic, name, tags, logoPreset, logo } = form;
  const bytes = logo && Buffer.from(await logo.arrayBuffer());
  const logoHash = bytes && createHash('sha256').update(bytes).digest('hex');
  return { type, data, parameters, isPublic, name, tags, logoPreset, logoHash };
}

async function ownCode({ db }: Deps, accountId: string, id: string): Promise<store.CodeRow> {
  const code = await store.findCode(db.orm, accountId, id);
  if (code) return code;
  const isDeleted = await store.findDeletion(db.orm, accountId, id);
  throw new ApiError(isDeleted ? 'code_deleted' : 'not_found');
}

const TEXTS = ['content', 'subject', 'body'] as const;

/** The new content for visitors; refuses what is not allowed. */
function readContents(
  code: store.CodeRow,
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

const FOLDER = resolve('host/codes/logos/presets');

/** Preset logos by file name, read once; user input is only looked up here and never becomes a path. */
export function readPresets(): Map<string, Uint8Array<ArrayBuffer>> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.svg'));
  return new Map(files.sort().map((file) => [file, new Uint8Array(readFileSync(join(FOLDER, file)))]));
}

const ONE_DAY = 'public, max-age=86400';

export function mountPresets({ mount }: Router, presets: Map<string, Uint8Array<ArrayBuffer>>): void {
  mount(listPresets, async ({ context }) => {
    context.header('Cache-Control', ONE_DAY);
    return [...presets.keys()];
  });

  mount(getPreset, async ({ params }) => {
    const svg = presets.get(params.file);
    if (!svg) throw new ApiError('not_found');
    return new Response(svg, {
      headers: {
        'Content-Type': 'image/svg+xml',
        'Cache-Control': ONE_DAY,
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
    });
  });
}
