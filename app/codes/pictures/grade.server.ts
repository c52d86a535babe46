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
import { readWithAll } from './decoders.server';
import { type Master, viewOf } from './views.server';

const MASTER_PIXELS = 640;
const MASTER_PIXELS_PER_MODULE = 6;

/** Whether drawings have any grade, by all that they depend on: who asks for a file has mostly seen its grade. */
const verdicts = new LRUCache<string, boolean>({ max: 5_000 });

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
  const grade = gradeOf(read);
  verdicts.set(keyOf(drawing, payload), grade !== null);
  return { grade, read, of, missed };
}

function keyOf(drawing: CodeDrawing, payload: string): string {
  return createHash('sha256')
    .update(JSON.stringify([payload, svgOf(drawing)]))
    .digest('base64');
}

/** All of them, from the quickest to the slowest. */
const BY_COST: View[] = [
  ...(['small', 'jpeg', 'medium', 'page', 'dim', 'faded', 'blurred', 'turned'] as const),
  ...(['noisy', 'shadow', 'tilted', 'large'] as const),
];

/** Whether a drawing has any grade at all, which mostly is known after two thirds of the readings. */
export async function hasGrade(drawing: CodeDrawing, payload: string): Promise<boolean> {
  const key = keyOf(drawing, payload);
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const master = await masterOf(drawing);
  let read = 0;
  let left = VIEWS.length * DECODERS.length;
  for (const view of BY_COST) {
    const texts = await readWithAll(await viewOf(view, master));
    read += DECODERS.filter((decoder) => texts[decoder] === payload).length;
    left -= DECODERS.length;
    if (read >= LEAST_READINGS.C || read + left < LEAST_READINGS.C) break;
  }
  verdicts.set(key, read >= LEAST_READINGS.C);
  return read >= LEAST_READINGS.C;
}
