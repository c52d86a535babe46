import type { Examination } from '~/codes/scan-report';
import { type Design, firstDrawing, prepareArtwork } from './code-files.server';
import { boxOf } from './code-image';
import { pngOf } from './code-png.server';
import { decodeImage } from './decode.server';
import { gradeDrawing } from './grade.server';

const CLEAR_PIXELS_PER_MODULE = 8;

/** Reads and grades the drawing that a preview shows. Throws CodeTooLongError. */
export async function examine(design: Design): Promise<Examination> {
  const artwork = await prepareArtwork(design.logo);
  const drawing = firstDrawing(design, artwork);
  const clear = await pngOf(drawing, boxOf(drawing).width * CLEAR_PIXELS_PER_MODULE, artwork?.png);
  return { readBack: await decodeImage(clear), scan: await gradeDrawing(drawing, design.payload) };
}
