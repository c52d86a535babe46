import { invalidField } from '#host/http/errors';

const LOGO_PX = 512;
/** A photograph of a good camera passes; a decompression bomb does not. */
const PIXEL_LIMIT = 30_000_000;
const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif', 'svg']);

/**
 * Decodes an uploaded logo and draws it anew as a PNG of at most 512 pixels; nothing of the uploaded bytes is kept.
 * Refuses the field `logo` with `logo_not_image`, `logo_too_many_pixels`, `logo_unsafe` or `logo_broken`.
 */
export async function readLogo(file: File): Promise<{ name: string; png: Uint8Array }> {
  const bytes = Buffer.from(await file.arrayBuffer());
  if (bytes.length === 0) throw invalidField('logo', 'logo_not_image');
  if (isSvg(bytes) && !isSelfContained(bytes.toString('utf8'))) throw invalidField('logo', 'logo_unsafe');
  // Loaded with the first logo: most of a host's life goes without.
  const { default: sharp } = await import('sharp');
  // The header alone tells the size; nothing is decoded until it is known to be small enough.
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (!metadata || !FORMATS.has(metadata.format ?? '')) {
    throw invalidField('logo', looksLikeImage(bytes) ? 'logo_broken' : 'logo_not_image');
  }
  if ((metadata.width ?? 0) * (metadata.height ?? 0) > PIXEL_LIMIT) {
    throw invalidField('logo', 'logo_too_many_pixels');
  }
  const png = await sharp(bytes, { limitInputPixels: PIXEL_LIMIT, failOn: 'error', density: 192 })
    .rotate()
    .resize(LOGO_PX, LOGO_PX, { fit: 'inside', withoutEnlargement: metadata.format !== 'svg' })
    .png({ compressionLevel: 9 })
    .toBuffer()
    .catch(() => {
      throw invalidField('logo', 'logo_broken');
    });
  return { name: tidyName(file.name), png };
}

function isSvg(bytes: Buffer): boolean {
  return /<svg[\s>]/i.test(bytes.subarray(0, 4096).toString('utf8'));
}

function looksLikeImage(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 512);
  return (
    start.subarray(0, 4).equals(Buffer.from('89504e47', 'hex')) ||
    start.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) ||
    start.subarray(0, 4).toString('latin1') === 'GIF8' ||
    start.subarray(8, 12).toString('latin1') === 'WEBP' ||
    isSvg(bytes)
  );
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
  if (/\son\w+\s*=|javascript:|@import/i.test(svg)) return false;
  const references = [
    ...svg.matchAll(/\b(?:href|src)\s*=\s*["']?\s*([^"'\s>]*)/gi),
    ...svg.matchAll(/\burl\(\s*["']?\s*([^"')\s]*)/gi),
  ];
  return references.every(([, target]) =>
    /^(?:#|data:image\/(?:png|jpe?g|gif|webp)[;,])/i.test(target ?? ''),
  );
}

/** A name to show, never a path: control characters and folders are dropped. */
function tidyName(name: string): string {
  const tidy = (name.split(/[\\/]/).at(-1) ?? '').replace(/\p{C}/gu, '').trim();
  return (tidy || 'logo').slice(0, 100);
}
