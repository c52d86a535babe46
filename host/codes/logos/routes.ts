import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getCodeLogo, getLogo, getPreset, listPresets, uploadLogo } from '#contract/logos';
import { lockOwner, requireCode } from '#host/codes/code/store';
import { UPLOADS_PER_ACCOUNT, UPLOADS_PER_IP } from '#host/codes/limits';
import { tried } from '#host/db/tried';
import { clientOf } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, limitFor } from '#host/http/rate-limit';
import { storeLogo } from './images';
import * as store from './store';

const FOLDER = resolve('host/codes/logos/presets');

/** Preset logos by file name, read once; user input is only looked up here and never becomes a path. */
export function readPresets(): Map<string, Uint8Array<ArrayBuffer>> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.svg'));
  return new Map(files.sort().map((file) => [file, new Uint8Array(readFileSync(join(FOLDER, file)))]));
}

const ONE_DAY = 'public, max-age=86400';

export function mountLogos(
  { mount }: Router,
  deps: Deps,
  presets: Map<string, Uint8Array<ArrayBuffer>>,
): void {
  const { db, clock, settings } = deps;

  mount(listPresets, async ({ context }) => {
    context.header('Cache-Control', ONE_DAY);
    return [...presets.keys()];
  });

  mount(getPreset, async ({ params }) => presetResponse(params.file, ONE_DAY));

  function presetResponse(file: string, cached: string): Response {
    const svg = presets.get(file);
    if (!svg) throw new ApiError('not_found');
    return new Response(svg, {
      headers: {
        'Content-Type': 'image/svg+xml',
        'Cache-Control': cached,
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      },
    });
  }

  mount(getCodeLogo, async ({ caller, params }) => {
    const code = await requireCode(db.orm, caller.accountId, params.id);
    if (code.logoPreset !== null) return presetResponse(code.logoPreset, 'private, max-age=3600');
    return pngResponse(code.logoId ? await store.getLogoPng(db.orm, code.logoId) : null);
  });

  mount(uploadLogo, async ({ caller: { accountId }, form, clientIp, context, isTrial }) => {
    const now = clock.now();
    await consumeRateLimit(db.orm, limitFor(UPLOADS_PER_ACCOUNT, isTrial), accountId, now);
    await consumeRateLimit(db.orm, limitFor(UPLOADS_PER_IP, isTrial), clientIp, now);
    const uploader = { ...clientOf(clientIp, accountId), signal: context.req.raw.signal };
    const stored = await storeLogo(deps, form.logo, uploader);
    const data = await tried(db.orm, isTrial, (orm) =>
      orm.transaction(async (transaction) => {
        if (!(await lockOwner(transaction, accountId))) throw new ApiError('unauthenticated');
        const id = await store.adoptLogo(transaction, accountId, stored, settings.accountLogosBytes);
        return store.findLogo(transaction, accountId, id);
      }),
    );
    if (!data) throw new ApiError('unavailable');
    return { data };
  });

  mount(getLogo, async ({ caller, params }) => {
    const own = await store.findLogo(db.orm, caller.accountId, params.id);
    return pngResponse(own && (await store.getLogoPng(db.orm, own.id)));
  });
}

function pngResponse(png: Uint8Array<ArrayBuffer> | null): Response {
  if (!png) throw new ApiError('not_found');
  return new Response(png, {
    headers: { 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=3600' },
  });
}
