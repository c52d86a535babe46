import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Artwork, type Design, drawings, prepareArtwork } from '~/codes/pictures/code-files.server';
import { boxOf, type CodeDrawing } from '~/codes/pictures/code-image';
import {
  opaqueLogo,
  openImage,
  openPdf,
  type Pdf,
  POINTS_PER_MM,
  paintCode,
  pdfPages,
  underLogo,
} from '~/codes/pictures/code-pdf.server';
import { decodePixels, type Pixels } from '~/codes/pictures/decode.server';
import { judgeLook } from '~/codes/pictures/grade.server';
import { PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { divide, isPoster, type LayoutName, layOut, type Place, TRIM_MM } from '~/codes/sheet-layouts';

export interface SheetLabel extends Design {
  /** Printed with the code, in letters that `printable` lets through; empty for none. */
  name: string;
  action: string;
}

export interface SheetOrder {
  layout: LayoutName;
  /** In the order of the labels. */
  labels: SheetLabel[];
  /** The label that the first code is printed on, from 1; those before it stay empty. */
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
  others: Generator<CodeDrawing>;
  logo: Buffer | undefined;
}

const installed = createRequire(import.meta.url);
const FACES = {
  regular: '@expo-google-fonts/arimo/400Regular/Arimo_400Regular.ttf',
  bold: '@expo-google-fonts/arimo/700Bold/Arimo_700Bold.ttf',
};
/** Enough for a decoder to see every module clearly. */
const PROOF_PIXELS_PER_MODULE = 6;
/** Most across a page. */
const PROOF_PIXELS = 4000;
const MARK_MM = 3;
const CAPTION_COLOUR = '#14203c';

/**
 * A PDF of labels or posters, each code of which was read back from the drawn page. What `isHandedOut` says of the first
 * drawings has to be known. Throws UnreadableCodeError, PoorGradeError, CodeTooLongError.
 */
export async function makeSheet(order: SheetOrder): Promise<Sheet> {
  const printed = await arrange(order);
  const pages = (printed.at(-1)?.page ?? 0) + 1;
  let doubtful = printed;
  for (;;) {
    const bytes = new Uint8Array(await paintSheet(order, printed, pages));
    doubtful = await findUnread(bytes, doubtful, order);
    if (doubtful.length === 0) return { bytes, pages };
    for (const one of doubtful) {
      const next = one.others.next();
      if (next.done) throw new UnreadableCodeError('No drawing read back');
      if (next.value.look && (await judgeLook(next.value, one.label.payload)) !== 'graded') {
        throw new PoorGradeError('read in too few views');
      }
      one.drawing = next.value;
    }
  }
}

async function arrange({ layout, labels, start, hasCutMarks }: SheetOrder): Promise<Printed[]> {
  const { places } = layOut(layout, hasCutMarks);
  const logoOn = opaqueLogos();
  const printed: Printed[] = [];
  for (const [n, label] of labels.entries()) {
    const at = start - 1 + n;
    const place = places[at % places.length];
    if (!place) throw new RangeError('a sheet without labels');
    const artwork = await prepareArtwork(label.logo);
    const others = drawings(label, artwork);
    const first = others.next();
    if (first.done) throw new UnreadableCodeError('Nothing to draw');
    const drawing = first.value;
    const { width, height } = boxOf(drawing);
    const logo = artwork && (await logoOn(underLogo(drawing), artwork));
    printed.push({
      ...{ label, place, logo, others, drawing },
      ...divide(place, label.name !== '' || label.action !== '', height / width),
      page: Math.floor(at / places.length),
    });
  }
  return printed;
}

/** The same logo on the same ground is made, and goes into the file, once. */
function opaqueLogos(): (background: string, artwork: Artwork) => Promise<Buffer> {
  const made = new Map<string, Promise<Buffer>>();
  return (background, { href, png }) => {
    const logo = made.get(background + href) ?? opaqueLogo(png, background);
    made.set(background + href, logo);
    return logo;
  };
}

async function paintSheet(order: SheetOrder, printed: Printed[], pages: number): Promise<Buffer> {
  const { page, places } = layOut(order.layout, order.hasCutMarks);
  const { document, addPage, finish } = openPdf(order.title);
  if (printed.some(({ caption }) => caption)) {
    for (const [face, file] of Object.entries(FACES)) {
      document.registerFont(face, await readFile(installed.resolve(file)));
    }
  }
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
      if (one.caption) paintCaption(document, one.label, inPoints(one.caption), isBeside(one));
    }
  }
  return finish();
}

/** The codes that a decoder does not read from their place on the page. */
async function findUnread(bytes: Uint8Array, printed: Printed[], order: SheetOrder): Promise<Printed[]> {
  const { page } = layOut(order.layout, order.hasCutMarks);
  const onPage = (number: number) => printed.filter((one) => one.page === number);
  const widthOf = (number: number) => {
    const modules = onPage(number).map(({ code, drawing }) => code.width / boxOf(drawing).width);
    if (modules.length === 0) return undefined;
    return Math.min(PROOF_PIXELS, Math.ceil((page.width / Math.min(...modules)) * PROOF_PIXELS_PER_MODULE));
  };
  const unread: Printed[] = [];
  for await (const pixels of pdfPages(bytes, widthOf)) {
    const scale = pixels.width / page.width;
    for (const one of onPage(pixels.page)) {
      const read = await decodePixels(cut(pixels, one.place, scale));
      if (read !== one.label.payload) unread.push(one);
    }
  }
  return unread;
}

/** The pixels of a label: what stands beside the code is read with it, as a phone does. */
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

function isBeside({ code, caption }: Printed): boolean {
  return caption !== null && caption.x > code.x + code.width / 2;
}

/** The name above the call to action, as large as both fit. */
function paintCaption(document: Pdf, { name, action }: SheetLabel, box: Place, isBeside: boolean): void {
  const align = isBeside ? ('left' as const) : ('center' as const);
  const options = { width: box.width, align };
  const lines = [
    { text: name, face: 'bold', ratio: 1 },
    { text: action, face: 'regular', ratio: name ? 0.8 : 1 },
  ].filter(({ text }) => text !== '');
  const heightAt = (size: number) =>
    lines.reduce((sum, { text, face, ratio }) => {
      return (
        sum +
        document
          .font(face)
          .fontSize(size * ratio)
          .heightOfString(text, options)
      );
    }, 0);
  const largest = Math.min(box.height * 0.42, box.width * 0.16);
  const smallest = Math.min(5, largest);
  let size = largest;
  while (size > smallest && (heightAt(size) > box.height || !wordsFit(document, lines, size, box.width))) {
    size = Math.max(smallest, size * 0.94);
  }
  let y = box.y + (isBeside ? Math.max(0, (box.height - heightAt(size)) / 2) : 0);
  document.fillColor(CAPTION_COLOUR);
  for (const { text, face, ratio } of lines) {
    const height = box.y + box.height - y;
    document.font(face).fontSize(size * ratio);
    if (height < document.currentLineHeight()) return;
    document.text(text, box.x, y, { ...options, height, ellipsis: true });
    y = document.y;
  }
}

/** Whether no word has to be broken. */
function wordsFit(
  document: Pdf,
  lines: { text: string; face: string; ratio: number }[],
  size: number,
  width: number,
): boolean {
  return lines.every(({ text, face, ratio }) => {
    document.font(face).fontSize(size * ratio);
    return text.split(' ').every((word) => document.widthOfString(word) <= width);
  });
}

/** Short lines on the edges of each label, outside of it; those of a poster keep off its edge. */
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

function inPoints({ x, y, width, height }: Place): Place {
  return {
    x: x * POINTS_PER_MM,
    y: y * POINTS_PER_MM,
    width: width * POINTS_PER_MM,
    height: height * POINTS_PER_MM,
  };
}
