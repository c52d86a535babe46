import { getPreset, listPresets } from '#contract/logos';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';

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
