/** What is wrong with a logo, as said to its uploader. */
export type LogoProblem =
  | 'logo_not_image'
  | 'logo_too_many_pixels'
  | 'logo_too_complex'
  | 'logo_unsafe'
  | 'logo_undrawable'
  | 'logo_empty'
  | 'logo_broken';

export class LogoRefusal extends Error {
  constructor(readonly problem: LogoProblem) {
    super(problem);
  }
}

const GZIP = Buffer.from([0x1f, 0x8b]);
/** Magic numbers of raster formats; in WebP, four bytes of length precede the name. */
const RASTER = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP)/;
/** After a byte order mark of UTF-8 or UTF-16, if any. */
const MARKUP = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</;

/** Whether a file begins like a PNG, JPEG, GIF or WebP. */
export function isRaster(bytes: Buffer): boolean {
  return RASTER.test(bytes.toString('latin1', 0, 12));
}

/** Whether a file begins like an SVG, plain or compressed. */
export function mayBeSvg(bytes: Buffer): boolean {
  return isPacked(bytes) || MARKUP.test(bytes.toString('latin1').replaceAll('\0', ''));
}

export function isPacked(bytes: Buffer): boolean {
  return bytes.subarray(0, GZIP.length).equals(GZIP);
}
