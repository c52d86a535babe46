import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PAPER, type Style } from '#contract/style-rules';
import { type CodeFormat, extensionOf } from '~/codes/file-formats';
import { drawCaptioned, outlineCaption } from '~/codes/pictures/caption.server';
import { boxOf, type CodeDrawing, type MaskPattern, svgOf } from '~/codes/pictures/code-image';
import { pdfOf, pdfPixels } from '~/codes/pictures/code-pdf.server';
import { jpegOf, pngOf, squareLogo } from '~/codes/pictures/code-png.server';
import { decodeImage, decodePixels, pixelsOf } from '~/codes/pictures/decode.server';
import { isReadByAll } from '~/codes/pictures/decoders.server';
import { judgeLook, proofWidth } from '~/codes/pictures/grade.server';
import { PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { printAdvice } from '~/codes/print-advice';

/** What the drawing of a code depends on. */
export interface Design {
  payload: string;
  /** Bytes of a PNG, or of a preset's SVG. */
  logo?: Uint8Array | undefined;
  useWhiteBackground?: boolean | undefined;
  /** Ink on paper without it. */
  style?: Style | null | undefined;
}

export interface FileOrder extends Design {
  format: CodeFormat;
  /** Width with the quiet zone: pixels for png and jpeg (300 to 4096) and svg, millimetres for pdf (15 to 500). */
  size: number;
  title?: string;
}

export interface CodeFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  extension: string;
  receipt: {
    /** What the decoder read from exactly these bytes; always equal to the payload. */
    readBack: string;
    /** As ordered: pixels, or millimetres for pdf. */
    width: number;
    version: number;
    /** Drawings made until one read back. */
    attempts: number;
    minPrintMm: number;
    scanDistanceMm?: number;
    /** Colour that a file without a ground was laid on to be read. */
    readOn?: string;
  };
}

const CONTENT_TYPES = { png: 'image/png', jpeg: 'image/jpeg', svg: 'image/svg+xml', pdf: 'application/pdf' };
const SIZE_LIMITS = { png: [300, 4096], jpeg: [300, 4096], svg: [1, 20_000], pdf: [15, 500] } as const;
const MASKS: MaskPattern[] = [0, 1, 2, 3, 4, 5, 6, 7];
const EXTRA_VERSIONS = 3;
// Enough for a decoder to see every module clearly, whatever the size ordered.
const PROOF_PIXELS_PER_MODULE = 8;
const SECOND_LOOK = 1.25;

export interface Artwork {
  png: Buffer;
  href: string;
}

/** Many codes in a row have one logo, and to prepare it takes as long as to draw the code. */
const artworks = new LRUCache<string, Artwork>({ max: 32 });

export async function prepareArtwork(logo: Uint8Array | undefined): Promise<Artwork | undefined> {
  if (!logo) return undefined;
  const key = createHash('sha256').update(logo).digest('base64');
  const known = artworks.get(key);
  if (known) return known;
  const png = await squareLogo(logo);
  const artwork = { png, href: `data:image/png;base64,${png.toString('base64')}` };
  artworks.set(key, artwork);
  return artwork;
}

function encodeFile(drawing: CodeDrawing, order: FileOrder, artwork: Artwork | undefined): Promise<Buffer> {
  if (order.format === 'png') return pngOf(drawing, order.size, artwork?.png);
  if (order.format === 'jpeg') return jpegOf(drawing, order.size, artwork?.png);
  if (order.format === 'pdf') return pdfOf(drawing, order.size, { logo: artwork?.png, title: order.title });
  return Promise.resolve(Buffer.from(svgOf(drawing, { px: order.size, title: order.title })));
}

async function decodeFile(bytes: Uint8Array, format: CodeFormat, modules: number): Promise<string | null> {
  const width = modules * PROOF_PIXELS_PER_MODULE;
  if (format === 'pdf') return decodePixels(await pdfPixels(bytes, width));
  const read = await decodeImage(bytes, width);
  // The decoder misses bars of some codes where their edges all lie between pixels, and finds them in any other size.
  return read === null && format === 'svg' ? decodeImage(bytes, SECOND_LOOK * width) : read;
}

/** Whether all decoders read the file of a look in a picture of moderate size. */
async function isClearFile(bytes: Uint8Array, drawing: CodeDrawing, order: FileOrder) {
  const { format, payload } = order;
  const width = proofWidth(drawing);
  // Made a little narrower, a picture would lose its whole pixels.
  const isLarge = order.size >= 2 * width;
  const pixels = await (format === 'pdf'
    ? pdfPixels(bytes, width)
    : pixelsOf(bytes, width, isLarge ? width : undefined));
  return isReadByAll(pixels, payload);
}

function drawOptions({ useWhiteBackground, style }: Design, artwork: Artwork | undefined) {
  return { logoHref: artwork?.href, useWhiteBackground, style };
}

/** The drawing a preview shows. */
export function firstDrawing(order: Design, artwork: Artwork | undefined): CodeDrawing {
  return drawCaptioned(order.payload, drawOptions(order, artwork));
}

/**
 * The first drawing, then every other mask, then more room for error correction. Throws UnreadableCodeError for a
 * caption that cannot be drawn.
 */
export function* drawings(order: Design, artwork: Artwork | undefined): Generator<CodeDrawing> {
  const caption = order.style?.caption;
  if (caption && !outlineCaption(caption)) throw new UnreadableCodeError('the caption cannot be drawn');
  const first = firstDrawing(order, artwork);
  yield first;
  yield* otherDrawings(order, artwork, first);
}

function* otherDrawings(
  order: Design,
  artwork: Artwork | undefined,
  first: CodeDrawing,
): Generator<CodeDrawing> {
  const options = drawOptions(order, artwork);
  for (const maskPattern of MASKS) {
    const next = drawCaptioned(order.payload, { ...options, maskPattern });
    if (next.path !== first.path) yield next;
  }
  const highest = Math.min(40, first.version + EXTRA_VERSIONS);
  for (let minVersion = first.version + 1; minVersion <= highest; minVersion++) {
    yield drawCaptioned(order.payload, { ...options, minVersion });
  }
}

/**
 * Makes a file and reads the finished bytes back before they are returned. Throws UnreadableCodeError,
 * PoorGradeError, CodeTooLongError, and RangeError for a size outside the limits or too small for the modules.
 */
export async function makeFile(order: FileOrder): Promise<CodeFile> {
  const { payload, format, size: width } = order;
  const [least, most] = SIZE_LIMITS[format];
  if (!(width >= least && width <= most)) throw new RangeError(`${format} width must be ${least} to ${most}`);
  const artwork = await prepareArtwork(order.logo);
  let attempts = 0;
  let isUnclear = false;
  for (const drawing of drawings(order, artwork)) {
    attempts += 1;
    const bytes = new Uint8Array(await encodeFile(drawing, order, artwork));
    const readBack = await decodeFile(bytes, format, boxOf(drawing).width);
    if (readBack !== payload) continue;
    if (drawing.look) {
      const verdict = await judgeLook(drawing, payload);
      if (verdict === 'poor') throw new PoorGradeError('read in too few views');
      isUnclear = verdict === 'unclear' || !(await isClearFile(bytes, drawing, order));
      if (isUnclear) continue;
    }
    const advice = printAdvice({ size: drawing.size, across: boxOf(drawing).width, mm: width });
    const scanDistanceMm = format === 'pdf' ? advice.scanDistanceMm : undefined;
    const { version } = drawing;
    const hasNoGround = drawing.look?.isTransparent === true && (format === 'png' || format === 'svg');
    const receipt = {
      ...{ readBack, width, version, attempts, minPrintMm: advice.minPrintMm, scanDistanceMm },
      ...(hasNoGround && { readOn: PAPER }),
    };
    return { bytes, contentType: CONTENT_TYPES[format], extension: extensionOf(format), receipt };
  }
  if (isUnclear) throw new PoorGradeError(`Not read by every decoder in ${attempts} attempts`);
  throw new UnreadableCodeError(`No drawing read back in ${attempts} attempts`);
}

/**
 * Of a look the first drawing with a grade, where another mask can get it one: what one decoder takes for a fourth corner
 * mostly is not there with the next. `first` is the one a preview shows.
 */
export async function chooseDrawing(design: Design, artwork: Artwork | undefined, first: CodeDrawing) {
  const verdict = await judgeLook(first, design.payload);
  if (verdict !== 'unclear') return { drawing: first, verdict };
  for (const drawing of otherDrawings(design, artwork, first)) {
    if ((await judgeLook(drawing, design.payload)) === 'graded')
      return { drawing, verdict: 'graded' as const };
  }
  return { drawing: first, verdict };
}

/** Whether a design has a drawing with a grade, or needs none. Throws CodeTooLongError. */
export async function isHandedOut(design: Design): Promise<boolean> {
  const artwork = await prepareArtwork(design.logo);
  const first = firstDrawing(design, artwork);
  return !first.look || (await chooseDrawing(design, artwork, first)).verdict === 'graded';
}
