import type { CodeFormat } from '~/codes/files/formats';
import type { Decoder } from '~/codes/look/scan-report';
import { boxOf, type CodeDrawing } from './code-image';
import { pdfPixels } from './code-pdf.server';
import { isBeyondAscii } from './codewords';
import { type Pixels, pixelsOf } from './decode.server';
import { isReadByAll, misreadBy, missedBy } from './decoders.server';

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
  file: Finished,
  drawing: CodeDrawing,
  payload: string,
): Promise<Decoder[]> {
  const { bytes, format, size } = file;
  const width = proofWidth(drawing);
  const isInPixels = format === 'png' || format === 'jpeg';
  // Slight downscaling would lose the pixel grid. What one decoder misses at full size is usually read when scaled
  // down.
  if (isInPixels && size < 2 * width && (await isReadByAll(await pixelsOf(bytes, width), payload))) return [];
  return missedBy(await proofOf(file, drawing), payload);
}

/**
 * Whether a code is read by every decoder if it has a look, and taken for another text by none, as letters beyond ASCII
 * can be if the decoder guesses their encoding.
 */
export async function isProven(
  { look }: CodeDrawing,
  payload: string,
  proof: () => Promise<Pixels>,
): Promise<boolean> {
  if (look) return isReadByAll(await proof(), payload);
  return !isBeyondAscii(payload) || (await misreadBy(await proof(), payload)).length === 0;
}

/** A picture of a finished file at a moderate size. */
export function proofOf({ bytes, format }: Finished, drawing: CodeDrawing): Promise<Pixels> {
  const width = proofWidth(drawing);
  return format === 'pdf' ? pdfPixels(bytes, width) : pixelsOf(bytes, width, width);
}
