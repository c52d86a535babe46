import { DEFAULT_STYLE } from '#contract/style-rules';
import type { Examination, ScanReport } from '~/codes/look/scan-report';
import { applyMend, type Mend, mendsOf } from '~/codes/look/style-mends';
import { type Artwork, chooseDrawing, type Design, firstDrawing, prepareArtwork } from './code-files.server';
import { boxOf } from './code-image';
import { pngOf } from './code-png.server';
import { decodeImage } from './decode.server';
import { gradeDrawing } from './grade.server';

/** At once, so that nobody has to choose among many. */
const MENDS_OFFERED = 3;
/** What is worth offering where the code is good enough already. */
const GENTLE_MENDS: Mend[] = ['darker', 'one_colour', 'square_corners', 'squares', 'white_behind_logo'];
const CLEAR_PIXELS_PER_MODULE = 8;

/** Reads and grades the drawing that a preview shows, and looks for what would mend it. Throws CodeTooLongError. */
export async function examine(design: Design): Promise<Examination> {
  const artwork = await prepareArtwork(design.logo);
  const { drawing, scan } = await gradeBest(design, artwork);
  const clear = await pngOf(drawing, boxOf(drawing).width * CLEAR_PIXELS_PER_MODULE, artwork?.png);
  return { readBack: await decodeImage(clear), scan, mends: await findMends(design, scan) };
}

/** The drawing that files would show, with its report. */
async function gradeBest(design: Design, artwork: Artwork | undefined) {
  const first = firstDrawing(design, artwork);
  const scan = await gradeDrawing(first, design.payload);
  if (!first.look || scan.grade) return { drawing: first, scan };
  const { drawing } = await chooseDrawing(design, artwork, first);
  return { drawing, scan: drawing === first ? scan : await gradeDrawing(drawing, design.payload) };
}

async function findMends(design: Design, { grade, missed }: ScanReport): Promise<Mend[]> {
  const { payload, logo, useWhiteBackground = false, style } = design;
  const looks = { style: style ?? DEFAULT_STYLE, hasLogo: logo !== undefined, useWhiteBackground };
  if (grade === 'A') return [];
  // Shapes fail where a picture is sharp and large already, weak colours where it is not.
  const shapesFirst = missed.some(({ view }) => view === 'large' || view === 'medium');
  const possible = mendsOf(looks, { shapesFirst });
  if (grade) return possible.filter((mend) => GENTLE_MENDS.includes(mend)).slice(0, MENDS_OFFERED);
  const found: Mend[] = [];
  for (const mend of possible) {
    const { hasLogo, ...mended } = applyMend(looks, mend);
    const artwork = await prepareArtwork(hasLogo ? logo : undefined);
    const { scan } = await gradeBest({ payload, ...mended }, artwork);
    if (scan.grade) found.push(mend);
    if (found.length === MENDS_OFFERED) break;
  }
  return found;
}
