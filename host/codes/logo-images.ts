import type { Logger } from 'pino';
import { invalidField } from '#host/http/errors';
import { drawSvg } from './svg-drawing';

const LOGO_PX = 512;
/** A photograph of a good camera passes; a decompression bomb does not. */
const PIXEL_LIMIT = 30_000_000;
const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif']);

/** First bytes of the pictures made of pixels; in a WebP the four of its length come before the name. */
const RASTER = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP)/;

/**
 * Decodes an uploaded logo and draws it anew as a PNG of at most 512 pixels; nothing of the uploaded bytes is kept.
 * Refuses the field `logo` with `logo_not_image`, `logo_too_many_pixels`, `logo_unsafe`, `logo_too_complex` or
 * `logo_broken`, of which the log says why; throws `unavailable` when too many drawings come at once.
 */
export async function readLogo(file: File, log: Logger): Promise<{ name: string; png: Uint8Array }> {
  const bytes = Buffer.from(await file.arrayBuffer());
  const name = tidyName(file.name);
  if (RASTER.test(bytes.subarray(0, 12).toString('latin1')))
    return { name, png: await readPicture(bytes, log) };
  // Told by its own text: a compressed drawing would pass the checks unread.
  const svg = bytes.toString('utf8');
  if (!/^\s*</.test(svg) || !/<(?:[\w-]+:)?svg[\s>]/i.test(svg)) throw invalidField('logo', 'logo_not_image');
  if (!isSelfContained(svg)) throw invalidField('logo', 'logo_unsafe');
  return { name, png: await drawSvg(bytes, LOGO_PX, PIXEL_LIMIT, log) };
}

async function readPicture(bytes: Buffer, log: Logger): Promise<Uint8Array> {
  // Loaded with the first logo: most of a host's life goes without.
  const { default: sharp } = await import('sharp');
  // The header alone tells the size; nothing is decoded until it is known to be small enough.
  const metadata = await sharp(bytes, { limitInputPixels: false }).metadata().catch(refuseBroken);
  if (!FORMATS.has(metadata.format ?? '')) throw invalidField('logo', 'logo_broken');
  if ((metadata.width ?? 0) * (metadata.height ?? 0) > PIXEL_LIMIT) {
    throw invalidField('logo', 'logo_too_many_pixels');
  }
  return sharp(bytes, { limitInputPixels: PIXEL_LIMIT, failOn: 'error' })
    .rotate()
    .resize(LOGO_PX, LOGO_PX, { fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9 })
    .toBuffer()
    .catch(refuseBroken);

  function refuseBroken(error: unknown): never {
    log.warn({ err: error }, 'a logo could not be decoded');
    throw invalidField('logo', 'logo_broken');
  }
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

/** A name to show, never a path: control characters and folders are dropped. */
function tidyName(name: string): string {
  const tidy = (name.split(/[\\/]/).at(-1) ?? '').replace(/\p{C}/gu, '').trim();
  return (tidy || 'logo').slice(0, 100);
}
