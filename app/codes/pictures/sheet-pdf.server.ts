import { isDefaultStyle } from '#contract/style-rules';
import { divide, isPoster, type LayoutName, layOut, type Place, TRIM_MM } from '~/codes/files/sheet-layouts';
import {
  type Artwork,
  type Candidate,
  type Design,
  gradedDrawings,
  prepareArtwork,
  requireCaption,
  type SymbolOptions,
} from '~/codes/pictures/code-files.server';
import { boxOf, type CodeDrawing } from '~/codes/pictures/code-image';
import {
  opaqueLogo,
  openImage,
  openPdf,
  type Pdf,
  POINTS_PER_MM,
  paintCode,
  pdfPages,
  type UnderLogo,
  underLogo,
} from '~/codes/pictures/code-pdf.server';
import { decodePixels, type Pixels, shrink } from '~/codes/pictures/decode.server';
import { isProven, proofWidth } from '~/codes/pictures/file-proof.server';
import { inPoints, type LabelText, paintText, registerFaces } from '~/codes/pictures/label-text.server';
import { PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';

export interface SheetLabel extends Design, LabelText {
  /** The result of `chooseSymbol` for it. */
  symbol: SymbolOptions;
}

export interface SheetOrder {
  layout: LayoutName;
  /** In the order of the labels. */
  labels: SheetLabel[];
  /** Number of the label that gets the first code, from 1; those before it stay empty. */
  start: number;
  hasCutMarks: boolean;
  title: string;
}

export interface Sheet {
  bytes: Uint8Array<ArrayBuffer>;
  pages: number;
}

interface Printed {
  label: SheetLabel;
  page: number;
  place: Place;
  code: Place;
  caption: Place | null;
  drawing: CodeDrawing;
  others: AsyncGenerator<Candidate>;
  logo: Buffer | undefined;
}

/** Enough for a decoder to see every module clearly. */
const PROOF_PIXELS_PER_MODULE = 6;
/** Maximum width of a rendered page. */
const PROOF_PIXELS = 4000;
const MARK_MM = 3;

/**
 * A PDF of labels or posters. Every code was read back from the rendered page, a code with its own look by all
 * decoders. Throws UnreadableCodeError, PoorGradeError, CaptionError, CodeTooLongError.
 */
export async function makeSheet(order: SheetOrder): Promise<Sheet> {
  const printed = await arrange(order);
  const pages = (printed.at(-1)?.page ?? 0) + 1;
  let doubtful = printed;
  for (;;) {
    const bytes = new Uint8Array(await paintSheet(order, printed, pages));
    let unread = await findUnread(bytes, doubtful, order);
    // The codes that were read before are now in a new file: read them again.
    if (unread.length === 0 && doubtful !== printed) unread = await findUnread(bytes, printed, order);
    if (unread.length === 0) return { bytes, pages };
    doubtful = unread;
    for (const one of doubtful) one.drawing = await nextDrawing(one.others, one.label);
  }
}

async function nextDrawing(others: AsyncGenerator<Candidate>, { style }: Design): Promise<CodeDrawing> {
  const next = await others.next();
  if (!next.done) return next.value.drawing;
  if (style && !isDefaultStyle(style)) throw new PoorGradeError('No drawing is read by every decoder');
  throw new UnreadableCodeError('No drawing read back');
}

async function arrange({ layout, labels, start, hasCutMarks }: SheetOrder): Promise<Printed[]> {
  const { places } = layOut(layout, hasCutMarks);
  const logoOn = opaqueLogos();
  const printed: Printed[] = [];
  for (const [n, label] of labels.entries()) {
    const at = start - 1 + n;
    const place = places[at % places.length];
    if (!place) throw new RangeError('a sheet without labels');
    requireCaption(label);
    const artwork = await prepareArtwork(label.logo);
    const others = gradedDrawings(label, artwork, label.symbol);
    const drawing = await nextDrawing(others, label);
    const { width, height } = boxOf(drawing);
    const logo = artwork && (await logoOn(underLogo(drawing), artwork));
    printed.push({
      label,
      place,
      logo,
      others,
      drawing,
      ...divide(place, label.name !== '' || label.action !== '', height / width),
      page: Math.floor(at / places.length),
    });
  }
  return printed;
}

/** Flattens each logo once per background and backing, so that it is also embedded in the file only once. */
function opaqueLogos(): (under: UnderLogo, artwork: Artwork) => Promise<Buffer> {
  const made = new Map<string, Promise<Buffer>>();
  return (under, { href, png }) => {
    const key = `${under.ground} ${under.backing} ${href}`;
    const logo = made.get(key) ?? opaqueLogo(png, under);
    made.set(key, logo);
    return logo;
  };
}

async function paintSheet(order: SheetOrder, printed: Printed[], pages: number): Promise<Buffer> {
  const { page, places } = layOut(order.layout, order.hasCutMarks);
  const { document, addPage, finish } = openPdf(order.title);
  if (printed.some(({ caption }) => caption)) await registerFaces(document);
  const images = new Map(
    [...new Set(printed.map(({ logo }) => logo))].map((logo) => [logo, logo && openImage(document, logo)]),
  );
  for (let number = 0; number < pages; number += 1) {
    addPage(page);
    if (order.hasCutMarks) paintCutMarks(document, order.layout, places);
    for (const one of printed) {
      if (one.page !== number) continue;
      const { x, y, width } = inPoints(one.code);
      paintCode(document, one.drawing, { x, y, width, logo: images.get(one.logo) });
      if (one.caption) paintText(document, one.label, one.caption, one.code);
    }
  }
  return finish();
}

/** The codes that could not be read at their place on the page. */
async function findUnread(bytes: Uint8Array, printed: Printed[], order: SheetOrder): Promise<Printed[]> {
  const { page } = layOut(order.layout, order.hasCutMarks);
  const onPage = (number: number) => printed.filter((one) => one.page === number);
  const widthOf = (number: number) => {
    const scales = onPage(number).map(({ code, drawing }) => proofPixels(drawing) / code.width);
    if (scales.length === 0) return undefined;
    return Math.min(PROOF_PIXELS, Math.ceil(page.width * Math.max(...scales)));
  };
  const unread: Printed[] = [];
  for await (const pixels of pdfPages(bytes, widthOf)) {
    const scale = pixels.width / page.width;
    for (const one of onPage(pixels.page)) {
      if (!(await isRead(one, pixels, scale))) unread.push(one);
    }
  }
  return unread;
}

/** Minimum width in pixels at which a code is shown to the decoders. */
function proofPixels(drawing: CodeDrawing): number {
  const { width } = boxOf(drawing);
  return Math.max(width * PROOF_PIXELS_PER_MODULE, drawing.look ? proofWidth(drawing) : 0);
}

/** Whether the label can be read as it is, and the code alone by the decoders that its look requires. */
async function isRead({ label, place, code, drawing }: Printed, page: Pixels, scale: number) {
  if ((await decodePixels(cut(page, place, scale))) !== label.payload) return false;
  return isProven(drawing, label.payload, async () => {
    const alone = cut(page, code, scale);
    const width = proofWidth(drawing);
    // As with the file of a single code: a much larger one is scaled down, as if seen from further away.
    return alone.width < 2 * width ? alone : shrink(alone, width);
  });
}

/** The pixels of a place; for a whole label these include what is beside the code, as a phone would see it. */
function cut({ data, width, height }: Pixels, place: Place, scale: number): Pixels {
  const left = Math.max(0, Math.floor(place.x * scale));
  const top = Math.max(0, Math.floor(place.y * scale));
  const right = Math.min(width, Math.ceil((place.x + place.width) * scale));
  const bottom = Math.min(height, Math.ceil((place.y + place.height) * scale));
  const across = right - left;
  const label = new Uint8Array(across * (bottom - top) * 4);
  for (let row = top; row < bottom; row += 1) {
    const from = (row * width + left) * 4;
    label.set(data.subarray(from, from + across * 4), (row - top) * across * 4);
  }
  return { data: label, width: across, height: bottom - top };
}

/** Short lines outside the edges of each label; those of a poster keep clear of its edge. */
function paintCutMarks(document: Pdf, layout: LayoutName, places: Place[]): void {
  const away = isPoster(layout) ? TRIM_MM / 3 : 0;
  document.lineWidth(0.25).strokeColor('#000000');
  for (const { x, y, width, height } of places) {
    for (const [edgeX, outwardX] of [
      [x, -1],
      [x + width, 1],
    ] as const) {
      for (const [edgeY, outwardY] of [
        [y, -1],
        [y + height, 1],
      ] as const) {
        paintLine(document, [edgeX + outwardX * away, edgeY], [edgeX + outwardX * (away + MARK_MM), edgeY]);
        paintLine(document, [edgeX, edgeY + outwardY * away], [edgeX, edgeY + outwardY * (away + MARK_MM)]);
      }
    }
  }
}

function paintLine(document: Pdf, from: [x: number, y: number], to: [x: number, y: number]): void {
  const [x1, y1, x2, y2] = [...from, ...to].map((mm) => mm * POINTS_PER_MM) as [
    number,
    number,
    number,
    number,
  ];
  document.moveTo(x1, y1).lineTo(x2, y2).stroke();
}
