import sharp from 'sharp';
import { PAPER } from '#contract/style-rules';
import { DECODERS, type Examination, gradeOf, type ScanReport, VIEWS } from '~/codes/scan-report';
import { type Design, firstDrawing, prepareArtwork } from './code-files.server';
import { boxOf, type CodeDrawing, svgOf } from './code-image';
import { pngOf } from './code-png.server';
import { decodeImage } from './decode.server';
import { readWithAll } from './decoders.server';
import { type Master, viewOf } from './views.server';

const CLEAR_PIXELS_PER_MODULE = 8;
const MASTER_PIXELS = 640;
const MASTER_PIXELS_PER_MODULE = 6;

/** A drawing as all its views are made of it: larger than the largest of them. */
async function masterOf(drawing: CodeDrawing): Promise<Master> {
  const { size: modules, look } = drawing;
  const pixelsPerModule = Math.max(MASTER_PIXELS / modules, MASTER_PIXELS_PER_MODULE);
  const svg = svgOf(drawing, { px: Math.round(boxOf(drawing).width * pixelsPerModule) });
  // A ground that files leave out is taken to be of the colour that was chosen for it.
  const ground = look?.layers.find(({ part }) => part === 'ground')?.fill ?? PAPER;
  const { data, info } = await sharp(Buffer.from(svg))
    .flatten({ background: ground })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, modules, pixelsPerModule };
}

/**
 * Three decoders look at twelve views of a drawing, which takes 200 ms of processor time for an address of ours and
 * 400 ms for 255 characters. Equal drawings get equal reports.
 */
export async function gradeDrawing(drawing: CodeDrawing, payload: string): Promise<ScanReport> {
  const master = await masterOf(drawing);
  const missed: ScanReport['missed'] = [];
  for (const view of VIEWS) {
    const read = await readWithAll(await viewOf(view, master));
    const decoders = DECODERS.filter((decoder) => read[decoder] !== payload);
    if (decoders.length > 0) missed.push({ view, decoders });
  }
  const of = VIEWS.length * DECODERS.length;
  const read = of - missed.reduce((sum, { decoders }) => sum + decoders.length, 0);
  return { grade: gradeOf(read), read, of, missed };
}

/** Reads and grades the drawing that a preview shows. Throws CodeTooLongError. */
export async function examine(design: Design): Promise<Examination> {
  const artwork = await prepareArtwork(design.logo);
  const drawing = firstDrawing(design, artwork);
  const clear = await pngOf(drawing, boxOf(drawing).width * CLEAR_PIXELS_PER_MODULE, artwork?.png);
  return { readBack: await decodeImage(clear), scan: await gradeDrawing(drawing, design.payload) };
}
