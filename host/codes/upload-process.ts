import sharp, { type Sharp } from 'sharp';
import { serveTasks } from '#runtime/processes/serve-tasks';
import { readImport } from './import/report';
import { type LogoProblem, LogoRefusal } from './logos/formats';
import { fitLogo } from './logos/size';
import { openSvg } from './logos/svg-drawing';

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
export type Drawn = Uint8Array | LogoProblem | { broken: string };

const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif']);
/** Paler than this, of 255, nothing is seen. */
const VISIBLE = 8;

/** Decodes a raster image and redraws it, never larger than the original. */
async function redrawPicture({ bytes, edge, pixelLimit }: LogoUpload): Promise<Drawn> {
  // The header gives the size; nothing is decoded before that is known to be small enough.
  const { format, width = 0, height = 0 } = await sharp(bytes, { limitInputPixels: false }).metadata();
  if (!FORMATS.has(format ?? '')) return 'logo_broken';
  if (width * height > pixelLimit) return 'logo_too_many_pixels';
  const image = sharp(bytes, { limitInputPixels: pixelLimit, failOn: 'error' }).rotate();
  return writeLogo(image.resize(edge, edge, { fit: 'inside', withoutEnlargement: true }));
}

/** Renders an SVG at its storage size, whatever canvas size it declares. */
async function drawSvg({ bytes, ...limits }: LogoUpload): Promise<Drawn> {
  return writeLogo(await openSvg(Buffer.from(bytes), limits));
}

/** Refuses a picture of which nothing would be seen. */
async function writeLogo(image: Sharp): Promise<Drawn> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const hasAlpha = channels === 2 || channels === 4;
  if (hasAlpha && !data.some((value, at) => at % channels === channels - 1 && value >= VISIBLE))
    return 'logo_empty';
  const raw = { width, height, channels };
  return sharp(data, { raw }).png({ compressionLevel: 9 }).toBuffer().then(fitLogo);
}

function orBroken(act: (upload: LogoUpload) => Promise<Drawn>): (upload: LogoUpload) => Promise<Drawn> {
  return (upload) => act(upload).catch(problemOf);
}

function problemOf(error: unknown): Drawn {
  if (error instanceof LogoRefusal) return error.problem;
  // Nested or chained beyond what the call stack allows.
  return error instanceof RangeError ? 'logo_too_complex' : { broken: String(error) };
}

const tasks = { redrawPicture: orBroken(redrawPicture), drawSvg: orBroken(drawSvg), readImport };
export type UploadTasks = typeof tasks;

serveTasks(tasks);
