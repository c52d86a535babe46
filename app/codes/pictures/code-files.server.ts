import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isDefaultStyle, isDrawable, PAPER, type Style } from '#contract/style-rules';
import { type CodeFormat, extensionOf } from '~/codes/files/formats';
import { printAdvice } from '~/codes/files/print-advice';
import { DECODERS, type Decoder, type ScanReport } from '~/codes/look/scan-report';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { boxOf, type CodeDrawing, type MaskPattern, svgOf } from '~/codes/pictures/code-image';
import { pdfOf, pdfPixels } from '~/codes/pictures/code-pdf.server';
import { jpegOf, pngOf, squareLogo } from '~/codes/pictures/code-png.server';
import { decodeImage, decodePixels } from '~/codes/pictures/decode.server';
import { isProven, missedInFile, proofOf } from '~/codes/pictures/file-proof.server';
import { type Judgement, judgeLook } from '~/codes/pictures/grade.server';
import { CaptionError, PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';

/** Everything that the drawing of a code depends on. */
export interface Design {
  payload: string;
  /** Bytes of a PNG, or a preset's SVG. */
  logo?: Uint8Array | undefined;
  useWhiteBackground?: boolean | undefined;
  /** Null or absent for the default look (ink on paper). */
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
    /** The decoders that did: all of them for a look, for ink on paper the one that is required. */
    readBy: Decoder[];
    /** As ordered: pixels, or millimetres for pdf. */
    width: number;
    version: number;
    /** Number of drawings tried until one could be read back. */
    attempts: number;
    minPrintMm: number;
    scanDistanceMm?: number;
    /** For a look: its grade, and the views that decoders could not read. */
    scan?: ScanReport;
    /** Background colour that a transparent file was read on. */
    readOn?: string;
  };
}

const CONTENT_TYPES = { png: 'image/png', jpeg: 'image/jpeg', svg: 'image/svg+xml', pdf: 'application/pdf' };
const SIZE_LIMITS = { png: [300, 4096], jpeg: [300, 4096], svg: [1, 20_000], pdf: [15, 500] } as const;
const MASKS: MaskPattern[] = [0, 1, 2, 3, 4, 5, 6, 7];
const EXTRA_VERSIONS = 3;
// Enough for a decoder to see every module clearly, whatever size was ordered.
const PROOF_PIXELS_PER_MODULE = 8;
const SECOND_LOOK = 1.25;
/** In modules across. */
const INSETS = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

export interface Artwork {
  png: Buffer;
  href: string;
}

/** Many codes in a row share a logo, and preparing it takes as long as drawing the code. */
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

function encodeFile(
  { drawing, inset }: { drawing: CodeDrawing; inset: number | undefined },
  order: FileOrder,
  artwork: Artwork | undefined,
): Promise<Buffer> {
  if (order.format === 'png') return pngOf(drawing, order.size, artwork?.png, inset);
  if (order.format === 'jpeg') return jpegOf(drawing, order.size, artwork?.png, inset);
  if (order.format === 'pdf') return pdfOf(drawing, order.size, { logo: artwork?.png, title: order.title });
  return Promise.resolve(Buffer.from(svgOf(drawing, { px: order.size, title: order.title })));
}

async function decodeFile(bytes: Uint8Array, format: CodeFormat, modules: number): Promise<string | null> {
  const width = modules * PROOF_PIXELS_PER_MODULE;
  if (format === 'pdf') return decodePixels(await pdfPixels(bytes, width));
  const read = await decodeImage(bytes, width);
  // The decoder misses bars of some codes when all their edges fall between pixels, but finds them at any other size.
  return read === null && format === 'svg' ? decodeImage(bytes, SECOND_LOOK * width) : read;
}

/**
 * The ways to paint a file of a drawing, for when a decoder misses the first: a look in pixels is scaled a little less,
 * so that its edges fall elsewhere between them. Vectors are shown to the decoders as they were for the grade.
 */
function insetsOf({ look }: CodeDrawing, format: CodeFormat): (number | undefined)[] {
  return look && (format === 'png' || format === 'jpeg') ? [undefined, ...INSETS] : [undefined];
}

/** What zxing reads from a finished file, or null if another decoder reads another text; of a look, what all read. */
async function readFile(bytes: Uint8Array, drawing: CodeDrawing, { format, payload, size }: FileOrder) {
  const file = { bytes, format, size };
  if (drawing.look) return (await missedInFile(file, drawing, payload)).length === 0 ? payload : null;
  const read = await decodeFile(bytes, format, boxOf(drawing).width);
  return (await isProven(drawing, payload, () => proofOf(file, drawing))) ? read : null;
}

function drawOptions({ useWhiteBackground, style }: Design, artwork: Artwork | undefined) {
  return { logoHref: artwork?.href, useWhiteBackground, style };
}

/** The drawing that a preview shows. */
export function firstDrawing(order: Design, artwork: Artwork | undefined): CodeDrawing {
  return drawCaptioned(order.payload, drawOptions(order, artwork));
}

/** The mask or minimum version that a symbol is drawn with; neither for the first drawing. */
export interface SymbolOptions {
  maskPattern?: MaskPattern;
  minVersion?: number;
}

export interface Candidate {
  drawing: CodeDrawing;
  symbol: SymbolOptions;
  /** For a look that has just been graded. */
  scan?: ScanReport | undefined;
}

/**
 * Yields the first drawing, then every other mask, then more room for error correction; of a styled code,
 * only drawings with a grade. Yields none if the first is read in too few views, because another mask does
 * not help then. `chosen` are options returned by `chooseSymbol`: the drawing with them comes first and is
 * not graded again.
 */
export async function* gradedDrawings(
  design: Design,
  artwork: Artwork | undefined,
  chosen?: SymbolOptions,
): AsyncGenerator<Candidate> {
  let isFirst = true;
  for (const candidate of candidates(design, artwork, chosen ?? {})) {
    const { drawing } = candidate;
    const isGraded = !drawing.look || (isFirst && chosen !== undefined);
    const { verdict, scan }: Judgement = isGraded
      ? { verdict: 'graded' }
      : await judgeLook(drawing, design.payload, artwork?.png);
    if (verdict === 'graded') yield { ...candidate, scan };
    if (verdict === 'poor' && isFirst) return;
    isFirst = false;
  }
}

function* candidates(
  design: Design,
  artwork: Artwork | undefined,
  chosen: SymbolOptions,
): Generator<Candidate> {
  const candidate = (symbol: SymbolOptions): Candidate => ({
    drawing: drawCaptioned(design.payload, { ...drawOptions(design, artwork), ...symbol }),
    symbol,
  });
  const first = candidate(chosen);
  yield first;
  const isOther = ({ drawing }: Candidate) => drawing.path !== first.drawing.path;
  for (const maskPattern of MASKS) {
    const next = candidate({ maskPattern });
    if (isOther(next)) yield next;
  }
  const highest = Math.min(40, first.drawing.version + EXTRA_VERSIONS);
  for (let minVersion = first.drawing.version + 1; minVersion <= highest; minVersion++) {
    yield candidate({ minVersion });
  }
}

/** Throws CaptionError for a design whose caption cannot be drawn, as some captions stored earlier. */
export function requireCaption({ style }: Design): void {
  if (style && !isDrawable(style.caption)) throw new CaptionError('the caption cannot be drawn');
}

/** The file of a drawing, in the first painting that is read back. */
async function makeReadable(drawing: CodeDrawing, order: FileOrder, artwork: Artwork | undefined) {
  for (const inset of insetsOf(drawing, order.format)) {
    const bytes = new Uint8Array(await encodeFile({ drawing, inset }, order, artwork));
    const readBack = await readFile(bytes, drawing, order);
    if (readBack === order.payload) return { bytes, readBack };
  }
  return null;
}

/**
 * Makes a file and reads the finished bytes back before they are returned. Throws UnreadableCodeError, CaptionError,
 * PoorGradeError, CodeTooLongError, and RangeError for a size outside the limits or too small for the modules.
 */
export async function makeFile(order: FileOrder): Promise<CodeFile> {
  const { format, size: width } = order;
  const [least, most] = SIZE_LIMITS[format];
  if (!(width >= least && width <= most)) throw new RangeError(`${format} width must be ${least} to ${most}`);
  const artwork = await prepareArtwork(order.logo);
  requireCaption(order);
  let attempts = 0;
  for await (const { drawing, scan } of gradedDrawings(order, artwork)) {
    attempts += 1;
    const made = await makeReadable(drawing, order, artwork);
    if (!made) continue;
    const { bytes, readBack } = made;
    const advice = printAdvice({ size: drawing.size, across: boxOf(drawing).width, mm: width });
    const scanDistanceMm = format === 'pdf' ? advice.scanDistanceMm : undefined;
    const { version } = drawing;
    const hasNoGround = drawing.look?.isTransparent === true && (format === 'png' || format === 'svg');
    const receipt = {
      readBack,
      readBy: drawing.look ? [...DECODERS] : ['zxing' as const],
      width,
      version,
      attempts,
      minPrintMm: advice.minPrintMm,
      scanDistanceMm,
      ...(scan && { scan }),
      ...(hasNoGround && { readOn: PAPER }),
    };
    return { bytes, contentType: CONTENT_TYPES[format], extension: extensionOf(format), receipt };
  }
  if (order.style && !isDefaultStyle(order.style)) {
    throw new PoorGradeError(`No drawing is read by every decoder, ${attempts} of them tried as files`);
  }
  throw new UnreadableCodeError(`No drawing read back in ${attempts} attempts`);
}

/** Symbol options for a design; null if its look gets no grade with any. Throws CodeTooLongError. */
export async function chooseSymbol(design: Design): Promise<SymbolOptions | null> {
  const { value } = await gradedDrawings(design, await prepareArtwork(design.logo)).next();
  return value?.symbol ?? null;
}
