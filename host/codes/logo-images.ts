import type { Logger } from 'pino';
import { invalidField } from '#host/http/errors';
import { drawLogo, type Uploader } from './logo-drawing';

const LOGO_PX = 512;
/** A photograph of a good camera passes; a decompression bomb does not. */
const PIXEL_LIMIT = 30_000_000;

/** First bytes of the pictures made of pixels; in a WebP the four of its length come before the name. */
const RASTER = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP)/;

/**
 * Decodes an uploaded logo and draws it anew as a PNG of at most 512 pixels; nothing of the uploaded bytes is kept.
 * Refuses the field `logo` with `logo_not_image`, `logo_too_many_pixels`, `logo_unsafe`, `logo_too_complex` or
 * `logo_broken`, of which the log says why; throws `rate_limited` or `unavailable` when too many come at once.
 */
export async function readLogo(
  file: File,
  uploader: Uploader,
  log: Logger,
): Promise<{ name: string; png: Uint8Array }> {
  const bytes = Buffer.from(await file.arrayBuffer());
  const upload = { bytes, edge: LOGO_PX, pixelLimit: PIXEL_LIMIT };
  const name = tidyName(file.name);
  if (RASTER.test(bytes.subarray(0, 12).toString('latin1'))) {
    return { name, png: await drawLogo('redrawPicture', upload, uploader, log) };
  }
  // Told by its own text: a compressed drawing would pass the checks unread.
  const svg = bytes.toString('utf8');
  if (!/^\s*</.test(svg) || !/<(?:[\w-]+:)?svg[\s>]/i.test(svg)) throw invalidField('logo', 'logo_not_image');
  if (![svg, spelledOut(svg)].every(isSelfContained)) throw invalidField('logo', 'logo_unsafe');
  return { name, png: await drawLogo('drawSvg', upload, uploader, log) };
}

/** Only shapes and embedded pictures: nothing that runs, and nothing that is fetched from elsewhere. */
function isSelfContained(svg: string): boolean {
  if (
    /<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|object|embed|handler)\b|<!ENTITY|<\?xml-stylesheet/i.test(
      svg,
    )
  ) {
    return false;
  }
  // In another encoding these words would be other bytes.
  const encoding = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([^"']*)/i.exec(svg)?.[1] ?? 'utf-8';
  if (!/^(?:utf-8|us-ascii|iso-8859-\d+|windows-125\d)$/i.test(encoding)) return false;
  if (/\son\w+\s*=|javascript:|@import/i.test(svg)) return false;
  const references = [
    ...svg.matchAll(/\b(?:href|src)\s*=\s*["']?\s*([^"'\s>]*)/gi),
    ...svg.matchAll(/\burl\(\s*["']?\s*([^"')\s]*)/gi),
  ];
  return references.every(([, target]) =>
    /^(?:#|data:image\/(?:png|jpe?g|gif|webp);base64,)/i.test(target ?? ''),
  );
}

/** With the characters in place of their numbers, in XML (`&#x69;`) and in CSS (`\\69`). */
function spelledOut(svg: string): string {
  return svg
    .replace(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex, decimal) =>
      characterOf(hex ? Number.parseInt(hex, 16) : Number(decimal)),
    )
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, hex) => characterOf(Number.parseInt(hex, 16)))
    .replace(/\\(?=[^\s\da-f])/gi, '');
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** A name to show, never a path: control characters and folders are dropped. */
function tidyName(name: string): string {
  const tidy = (name.split(/[\\/]/).at(-1) ?? '').replace(/\p{C}/gu, '').trim();
  return (tidy || 'logo').slice(0, 100);
}
