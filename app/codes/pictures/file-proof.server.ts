import type { CodeFormat } from '~/codes/file-formats';
import type { Decoder } from '~/codes/look/scan-report';
import { boxOf, type CodeDrawing } from './code-image';
import { pdfPixels } from './code-pdf.server';
import { pixelsOf } from './decode.server';
import { isReadByAll, missedBy } from './decoders.server';

/** Width of the picture in which every decoder must read a look, with at least this many pixels per module. */
const PROOF_PIXELS = 300;
const PROOF_PIXELS_PER_MODULE = 4;

/** Width in pixels of the picture in which every decoder must read a look. */
export function proofWidth(drawing: CodeDrawing): number {
  return Math.max(PROOF_PIXELS, boxOf(drawing).width * PROOF_PIXELS_PER_MODULE);
}

interface Finished {
  bytes: Uint8Array;
  format: CodeFormat;
  /** As ordered: pixels, or millimetres for pdf. */
  size: number;
}

/**
 * The decoders that do not read the finished file of a look at a moderate size: none of a file that is handed out, and
 * of a look with a grade, none of its SVG and its PDF.
 */
export async function missedInFile(
  { bytes, format, size }: Finished,
  drawing: CodeDrawing,
  payload: string,
): Promise<Decoder[]> {
  const width = proofWidth(drawing);
  if (format === 'pdf') return missedBy(await pdfPixels(bytes, width), payload);
  if (format === 'svg') return missedBy(await pixelsOf(bytes, width), payload);
  // Slight downscaling would lose the pixel grid. What one decoder misses at full size is usually read when scaled
  // down.
  if (size < 2 * width && (await isReadByAll(await pixelsOf(bytes, width), payload))) return [];
  return missedBy(await pixelsOf(bytes, width, width), payload);
}
