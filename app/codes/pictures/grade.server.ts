import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import sharp from 'sharp';
import { PAPER } from '#contract/style-rules';
import {
  DECODERS,
  gradeOf,
  LEAST_READINGS,
  type ScanReport,
  VIEWS,
  type View,
} from '~/codes/look/scan-report';
import { boxOf, type CodeDrawing, svgOf } from './code-image';
import { pixelsOf } from './decode.server';
import { isReadByAll, readWithAll } from './decoders.server';
import { type Master, viewOf } from './views.server';

const MASTER_PIXELS = 640;
const MASTER_PIXELS_PER_MODULE = 6;

/** What every decoder has to read of a look, whatever the other views are … */
const CLEAR_VIEW: View = 'large';
/** … and a plain picture so wide, in which a module has at least so many pixels. */
const PROOF_PIXELS = 300;
const PROOF_PIXELS_PER_MODULE = 4;
/** Drawn once more so much larger, with other edges between the pixels: what is read in both has some to spare. */
const SECOND_PROOF = 1.17;

/** Whether a drawing has any grade, and if not, whether it is because a decoder misses what is clear. */
export type Verdict = 'graded' | 'unclear' | 'poor';

/** By all that the drawings depend on: who asks for a file has mostly seen its grade. */
const verdicts = new LRUCache<string, Verdict>({ max: 5_000 });

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
  const isClear =
    !drawing.look ||
    (missed.every(({ view }) => view !== CLEAR_VIEW) && (await isClearPicture(drawing, payload)));
  const grade = isClear ? gradeOf(read) : null;
  verdicts.set(keyOf(drawing, payload), grade ? 'graded' : read < LEAST_READINGS.C ? 'poor' : 'unclear');
  return { grade, read, of, missed };
}

/** Width of the picture in which every decoder has to read a look, in pixels. */
export function proofWidth(drawing: CodeDrawing): number {
  return Math.max(PROOF_PIXELS, boxOf(drawing).width * PROOF_PIXELS_PER_MODULE);
}

async function isClearPicture(drawing: CodeDrawing, payload: string): Promise<boolean> {
  const svg = Buffer.from(svgOf(drawing, { px: proofWidth(drawing) }));
  for (const width of [proofWidth(drawing), Math.round(SECOND_PROOF * proofWidth(drawing))]) {
    if (!(await isReadByAll(await pixelsOf(svg, width), payload))) return false;
  }
  return true;
}

function keyOf(drawing: CodeDrawing, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([payload, svgOf(drawing)]))
    .digest('base64');
}

/** All of them: the one that alone decides, then from the quickest to the slowest. */
const BY_COST: View[] = [
  CLEAR_VIEW,
  ...(['small', 'jpeg', 'medium', 'page', 'dim', 'faded'] as const),
  ...(['blurred', 'turned', 'noisy', 'shadow', 'tilted'] as const),
];

/** What `gradeDrawing` would find of a look, which mostly is known after two thirds of the readings. */
export async function judgeLook(drawing: CodeDrawing, payload: string): Promise<Verdict> {
  const key = keyOf(drawing, payload);
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const master = await masterOf(drawing);
  let verdict: Verdict | undefined;
  let read = 0;
  let left = VIEWS.length * DECODERS.length;
  for (const view of BY_COST) {
    const texts = await readWithAll(await viewOf(view, master));
    const decoders = DECODERS.filter((decoder) => texts[decoder] === payload);
    read += decoders.length;
    left -= DECODERS.length;
    const isClear = view !== CLEAR_VIEW || decoders.length === DECODERS.length;
    if (!isClear || (view === CLEAR_VIEW && !(await isClearPicture(drawing, payload)))) verdict = 'unclear';
    else if (read >= LEAST_READINGS.C) verdict = 'graded';
    else if (read + left < LEAST_READINGS.C) verdict = 'poor';
    if (verdict) break;
  }
  verdicts.set(key, verdict ?? 'poor');
  return verdict ?? 'poor';
}
