import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Code } from '#contract/codes';
import { codeLogoPng, logoOrNull, presetSvg } from '~/codes/create/logo-bytes.server';
import { payloadFor } from '~/codes/files/downloads.server';
import type { OfferedStyle } from '~/codes/look/look-input';
import { readyMadeStyles } from '~/codes/look/ready-made-styles';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { shapesOf } from '~/codes/pictures/code-image';
import { draw, isDrawingRefusal, wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import { stripOf } from '~/codes/pictures/picture-strip.server';
import type { UserScope } from '~/http/scope.server';

/** Shrunk logos by their id. */
const logos = new LRUCache<string, string>({ max: 2_000 });

/** Differs once a later release draws codes in another way. */
let wayOfDrawing: string | undefined;

/** Changes whenever the pictures of these codes change. */
export function thumbnailVersion(codes: Code[]): string {
  wayOfDrawing ??= hash(readyMadeStyles(() => '').map(drawSample));
  const looks = codes.map((code) => [
    code.id,
    payloadFor(code, 'tracked'),
    code.logo,
    code.useWhiteBackground,
    code.style,
  ]);
  return hash([wayOfDrawing, looks]);
}

function drawSample({ style }: OfferedStyle): string {
  return shapesOf(drawCaptioned('Menü 12', { logoHref: '', style }));
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16);
}

/**
 * One SVG with the pictures of all codes, one below the other, each a `view` named after its code. `isWhole`
 * is false if a logo could not be loaded and its code was drawn without it.
 */
export async function drawThumbnails(
  scope: UserScope,
  codes: Code[],
): Promise<{ svg: string; isWhole: boolean }> {
  let isWhole = true;
  const pictures = await Promise.all(
    codes.map(async (code) => {
      const { id, useWhiteBackground, style } = code;
      const logoHref = (await logoAddress(scope, code)) ?? undefined;
      if (code.logo && !logoHref) isWhole = false;
      const options = { logoHref, useWhiteBackground, style };
      return { id, drawing: drawCaptioned(payloadFor(code, 'tracked'), options) };
    }),
  );
  return { svg: stripOf(pictures), isWhole };
}

/** The logo as a data URL, because an SVG used as an image cannot load other files. */
async function logoAddress(scope: UserScope, { id, logo }: Code): Promise<string | null> {
  if (!logo) return null;
  if (logo.kind === 'preset') {
    const svg = await logoOrNull(presetSvg(scope, logo.name));
    return svg && `data:image/svg+xml;base64,${svg.toString('base64')}`;
  }
  const known = logo.id && logos.get(logo.id);
  if (known) return known;
  const png = await logoOrNull(codeLogoPng(scope, id));
  if (!png) return null;
  try {
    const small = Buffer.from(await draw(scope, 'shrinkLogo', png));
    const address = `data:image/png;base64,${small.toString('base64')}`;
    if (logo.id) logos.set(logo.id, address);
    return address;
  } catch (thrown) {
    if (isDrawingRefusal(thrown) || wasDrawingKilled(thrown)) return null;
    throw thrown;
  }
}
