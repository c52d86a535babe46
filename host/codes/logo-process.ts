import sharp from 'sharp';
import { serveTasks } from '#processes/serve-tasks';
import { fitLogo } from './logo-size';

sharp.cache(false);
sharp.concurrency(1);

export interface Upload {
  bytes: Uint8Array;
  /** Most pixels of the longer side of what is drawn. */
  edge: number;
  /** Most pixels that may be decoded. */
  pixelLimit: number;
}

/** A PNG, or the code of what is wrong; `broken` says why, for the log. */
export type Drawn = Uint8Array | 'logo_too_many_pixels' | 'logo_broken' | { broken: string };

const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif']);
/** One inch, in the pixels of a drawing without a density of its own (CSS Values 4, section 6.2, at 72 dpi). */
const INCH = 72;

/** Decodes a picture made of pixels and draws it anew, no larger than it was. */
async function redrawPicture({ bytes, edge, pixelLimit }: Upload): Promise<Drawn> {
  // The header alone tells the size; nothing is decoded until it is known to be small enough.
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

/** Draws an SVG at the size it is kept in, however large the canvas says it is. */
async function drawSvg({ bytes, edge, pixelLimit }: Upload): Promise<Drawn> {
  const svg = Buffer.from(bytes);
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

/** Pixels of the pictures inside the drawing; throws for one that is broken. */
async function countPictures(svg: string): Promise<number> {
  let pixels = 0;
  for (const [, encoded = ''] of svg.matchAll(/data:image\/[^;,"')]*;base64,([^"')<>]*)/gi)) {
    const bytes = Buffer.from(encoded.replace(/&#(?:9|10|13|32|x0?[9ad]|x20);|\s/gi, ''), 'base64');
    const { width = 0, height = 0 } = await sharp(bytes, { limitInputPixels: false }).metadata();
    pixels += width * height;
  }
  return pixels;
}

function orBroken(act: (upload: Upload) => Promise<Drawn>): (upload: Upload) => Promise<Drawn> {
  return (upload) => act(upload).catch((error: unknown) => ({ broken: String(error) }));
}

const tasks = { redrawPicture: orBroken(redrawPicture), drawSvg: orBroken(drawSvg) };
export type LogoTasks = typeof tasks;

serveTasks(tasks);
