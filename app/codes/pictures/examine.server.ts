import { DEFAULT_STYLE } from '#contract/style-rules';
import type { Examination, ScanReport } from '~/codes/look/scan-report';
import { applyFix, type Fix, fixesOf } from '~/codes/look/style-fixes';
import { type Artwork, type Design, firstDrawing, gradedDrawings, prepareArtwork } from './code-files.server';
import { boxOf, type CodeDrawing } from './code-image';
import { pngOf } from './code-png.server';
import { decodeImage } from './decode.server';
import { gradeDrawing } from './grade.server';

/** Most suggestions at once, to keep the choice easy. */
const MENDS_OFFERED = 3;
/** Fixes worth offering when the code is already good enough. */
const GENTLE_MENDS: Fix[] = ['darker', 'one_colour', 'square_corners', 'squares', 'white_behind_logo'];
const CLEAR_PIXELS_PER_MODULE = 8;
/**
 * After this time only the last resort is tried, so that the task ends within its time limit on a busy
 * machine.
 */
const MENDS_MS = 8_000;

/** Reads and grades the drawing that a preview shows, and looks for fixes. Throws CodeTooLongError. */
export async function examine(design: Design): Promise<Examination> {
  const startedAt = performance.now();
  const artwork = await prepareArtwork(design.logo);
  const { drawing, scan } = await gradeBest(design, artwork);
  const read = await readClear(drawing, artwork);
  return { readBack: read, scan, fixes: await findFixes(design, scan, startedAt) };
}

/** What one decoder reads from the drawing that a preview shows. Throws CodeTooLongError. */
export async function readBack(design: Design): Promise<string | null> {
  const artwork = await prepareArtwork(design.logo);
  return readClear(firstDrawing(design, artwork), artwork);
}

async function readClear(drawing: CodeDrawing, artwork: Artwork | undefined): Promise<string | null> {
  return decodeImage(await pngOf(drawing, boxOf(drawing).width * CLEAR_PIXELS_PER_MODULE, artwork?.png));
}

/** The drawing that files would show, with its report. */
async function gradeBest(design: Design, artwork: Artwork | undefined) {
  const { payload } = design;
  const first = firstDrawing(design, artwork);
  const scan = await gradeDrawing(first, payload, artwork?.png);
  if (!first.look || scan.grade) return { drawing: first, scan };
  const { value: chosen } = await gradedDrawings(design, artwork).next();
  return chosen?.scan ? { drawing: chosen.drawing, scan: chosen.scan } : { drawing: first, scan };
}

async function findFixes(design: Design, { grade, missed }: ScanReport, startedAt: number): Promise<Fix[]> {
  const { payload, logo, useWhiteBackground = false, style } = design;
  const looks = { style: style ?? DEFAULT_STYLE, hasLogo: logo !== undefined, useWhiteBackground };
  if (grade === 'A') return [];
  // Bad shapes fail even in large, sharp pictures; weak colours fail in the others.
  const shapesFirst = missed.some(({ view }) => view === 'large' || view === 'medium');
  const possible = fixesOf(looks, { shapesFirst });
  if (grade) return possible.filter((fix) => GENTLE_MENDS.includes(fix)).slice(0, MENDS_OFFERED);
  const found: Fix[] = [];
  for (const fix of possible) {
    const isLate = performance.now() - startedAt > MENDS_MS;
    if (isLate && (found.length > 0 || fix !== possible.at(-1))) continue;
    const { hasLogo, ...fixed } = applyFix(looks, fix);
    const artwork = await prepareArtwork(hasLogo ? logo : undefined);
    const { done } = await gradedDrawings({ payload, ...fixed }, artwork).next();
    if (!done) found.push(fix);
    if (found.length === MENDS_OFFERED) break;
  }
  return found;
}
