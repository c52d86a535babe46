import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { getCodeLogo, getPreset, listPresets } from '#contract/logos';
import { requireCode } from '#host/codes/code/store';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { getLogoPng } from './store';

const FOLDER = resolve('host/codes/logos/presets');

/** Preset logos by file name, read once; user input is only looked up here and never becomes a path. */
export function readPresets(): Map<string, Uint8Array<ArrayBuffer>> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.svg'));
  return new Map(files.sort().map((file) => [file, new Uint8Array(readFileSync(join(FOLDER, file)))]));
}

const ONE_DAY = 'public, max-age=86400';

export function mountLogos(
  { mount }: Router,
  { db }: Deps,
  presets: Map<string, Uint8Array<ArrayBuffer>>,
): void {
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

  mount(getCodeLogo, async ({ caller, params }) => {
    const code = await requireCode(db.orm, caller.accountId, params.id);
    const png = code.logoId ? await getLogoPng(db.orm, code.logoId) : null;
    if (!png) throw new ApiError('not_found');
    return new Response(png, {
      headers: { 'Content-Type': 'image/png', 'Cache-Control': 'private, max-age=3600' },
    });
  });
}
