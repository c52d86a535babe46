import sharp from 'sharp';
import { serveTasks } from '#processes/serve-tasks';
import { readImport } from './import-report';
import { fitLogo } from './logo-size';
import { countDrawnElements } from './svg-text';

sharp.cache(false);
sharp.concurrency(1);

export interface LogoUpload {
  bytes: Uint8Array;
  /** Longest side of the result, in pixels. */
  edge: number;
  /** Maximum number of pixels to decode. */
  pixelLimit: number;
}

/** A PNG, or the code of what is wrong; `broken` carries details for the log. */
export type Drawn =
  | Uint8Array
  | 'logo_too_many_pixels'
  | 'logo_too_complex'
  | 'logo_broken'
  | { broken: string };

const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif']);
/** More than any logo needs; drawings that reference themselves recursively exceed it. */
const DRAWN_ELEMENTS = 50_000;
/** One inch, in the pixels of a drawing without a density of its own (CSS Values 4, section 6.2, at 72 dpi). */
const INCH = 72;

/** Decodes a raster image and redraws it, never larger than the original. */
async function redrawPicture({ bytes, edge, pixelLimit }: LogoUpload): Promise<Drawn> {
  // The header gives the size; nothing is decoded before that is known to be small enough.
  const { format, width = 0, height = 0 } = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (!FORMATS.has(format ?? '')) return 'logo_broken';
  if (width * height > pixelLimit) return 'logo_too_many_pixels';
  return sharp(bytes, { limitInputPixels: pixelLimit, failOn: 'error' })
    .rotate()
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9 })
    .toBuffer()
    .then(fitLogo);
}

/** Renders an SVG at its storage size, whatever canvas size it declares. */
async function drawSvg({ bytes, edge, pixelLimit }: LogoUpload): Promise<Drawn> {
  const svg = Buffer.from(bytes);
  if (countDrawnElements(svg.toString('utf8')) > DRAWN_ELEMENTS) return 'logo_too_complex';
  if ((await countPictures(svg.toString('utf8'))) > pixelLimit) return 'logo_too_many_pixels';
  const { format, width = 0, height = 0 } = await sharp(svg, { limitInputPixels: false }).metadata();
  if (format !== 'svg') return 'logo_broken';
  const density = (INCH * edge) / Math.max(width, height);
  if (density < 1) return 'logo_too_many_pixels';
  return sharp(svg, { density, failOn: 'error', limitInputPixels: pixelLimit })
    .resize(edge, edge, { fit: 'inside' })
    .png({ compressionLevel: 9 })
    .toBuffer()
    .then(fitLogo);
}

/** Total pixels of the images embedded in the drawing; throws if one is broken. */
async function countPictures(svg: string): Promise<number> {
  let pixels = 0;
  for (const [, encoded = ''] of svg.matchAll(/data:image\/[^;,"')]*;base64,([^"')<>]*)/gi)) {
    const bytes = Buffer.from(encoded.replace(/&#(?:9|10|13|32|x0?[9ad]|x20);|\s/gi, ''), 'base64');
    const { width = 0, height = 0 } = await sharp(bytes, { limitInputPixels: false }).metadata();
    pixels += width * height;
  }
  return pixels;
}

function orBroken(act: (upload: LogoUpload) => Promise<Drawn>): (upload: LogoUpload) => Promise<Drawn> {
  return (upload) => act(upload).catch((error: unknown) => ({ broken: String(error) }));
}

const tasks = { redrawPicture: orBroken(redrawPicture), drawSvg: orBroken(drawSvg), readImport };
export type UploadTasks = typeof tasks;

serveTasks(tasks);
