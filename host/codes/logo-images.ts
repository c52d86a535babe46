import type { Logger } from 'pino';
import { invalidField } from '#host/http/errors';
import { drawLogo, type Uploader } from './logo-drawing';
import { decodeCharacterReferences } from './svg-text';

const LOGO_PX = 512;
/** Lets photographs of good cameras pass, but no decompression bombs. */
const PIXEL_LIMIT = 30_000_000;

/** Magic numbers of raster formats; in WebP, four bytes of length precede the name. */
const RASTER = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP)/;

/**
 * Decodes an uploaded logo and redraws it as a PNG of at most 512 pixels; none of the uploaded bytes are kept. Refuses
 * the field `logo` with `logo_not_image`, `logo_too_many_pixels`, `logo_unsafe`, `logo_too_complex` or `logo_broken`,
 * and logs the reason; throws `rate_limited` or `unavailable` if too many arrive at once.
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
  // Recognised as plain text: a compressed drawing would slip past the checks.
  const svg = bytes.toString('utf8');
  if (!/^\s*</.test(svg) || !/<(?:[\w-]+:)?svg[\s>]/i.test(svg)) throw invalidField('logo', 'logo_not_image');
  if (![svg, decodeCharacterReferences(svg)].every(isSelfContained))
    throw invalidField('logo', 'logo_unsafe');
  return { name, png: await drawLogo('drawSvg', upload, uploader, log) };
}

/** Only shapes and embedded images: no scripts, no external resources. */
function isSelfContained(svg: string): boolean {
  if (
    /<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|object|embed|handler)\b|<!ENTITY|<!ATTLIST|<\?xml-stylesheet/i.test(
      svg,
    )
  ) {
    return false;
  }
  // In any other encoding the bytes of these words would differ.
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

/** A display name, never a path: control characters and folders are dropped. */
function tidyName(name: string): string {
  const tidy = (name.split(/[\\/]/).at(-1) ?? '').replace(/\p{C}/gu, '').trim();
  return (tidy || 'logo').slice(0, 100);
}
