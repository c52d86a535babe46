import { PDFiumLibrary } from '@hyzyla/pdfium';
import PDFDocument from 'pdfkit';
import sharp from 'sharp';
import { INK, PAPER } from '#contract/style-rules';
import { boxOf, type CodeDrawing, type Look } from '~/codes/pictures/code-image';
import { type Pixels, readWasm } from '~/codes/pictures/decode.server';

export const POINTS_PER_MM = 72 / 25.4;

export type Pdf = InstanceType<typeof PDFDocument>;
/** What `openImage` makes: it is in the file once, however often it is drawn. */
export type PdfImage = ArrayBuffer & { readonly isOpened: true };

/** A document whose bytes depend on nothing but what is drawn; `finish` answers them. Pages are sized in millimetres. */
export function openPdf(title: string): {
  document: Pdf;
  addPage(size: { width: number; height: number }): void;
  finish(): Promise<Buffer>;
} {
  const info = { Title: title, CreationDate: new Date(0) };
  const document = new PDFDocument({ autoFirstPage: false, margin: 0, info, displayTitle: true });
  // The file identifier needs a date; hidden and fixed, it keeps equal codes equal, byte for byte.
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
  const chunks: Buffer[] = [];
  const finished = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  return {
    document,
    addPage: ({ width, height }) => {
      document.addPage({ size: [width * POINTS_PER_MM, height * POINTS_PER_MM], margin: 0 });
    },
    finish: () => {
      document.end();
      return finished;
    },
  };
}

/** The code as vector shapes, `width` points wide; `logo` is an opened one from `opaqueLogo`. */
export function paintCode(
  document: Pdf,
  drawing: CodeDrawing,
  { x, y, width, logo }: { x: number; y: number; width: number; logo?: PdfImage | undefined },
): void {
  const box = boxOf(drawing);
  document.save();
  document.translate(x, y).scale(width / box.width);
  if (drawing.look) paintLook(document.translate(-box.x, -box.y), drawing.look);
  else {
    document.rect(0, 0, drawing.size, drawing.size).fill(PAPER);
    document.path(drawing.path).fill(INK);
  }
  if (logo && drawing.logo) {
    document.image(logo, drawing.logo.x, drawing.logo.y, { width: drawing.logo.size });
  }
  document.restore();
}

function paintLook(document: Pdf, { layers, gradient }: Look): void {
  const ink = gradient
    ? document
        .linearGradient(gradient.from.x, gradient.from.y, gradient.to.x, gradient.to.y)
        .stop(0, gradient.from.colour)
        .stop(1, gradient.to.colour)
    : INK;
  for (const { path, fill } of layers) document.path(path).fill(fill ?? ink);
}

export function openImage(document: Pdf, png: Buffer): PdfImage {
  // Its types leave this method out, and what `image` takes of it.
  return (document as unknown as { openImage(png: Buffer): PdfImage }).openImage(png);
}

/** Colour of what lies under the logo. */
export function underLogo({ look }: CodeDrawing): string {
  return (look?.layers.find(({ part }) => part === 'backing') ?? look?.layers[0])?.fill ?? PAPER;
}

/** Printing houses refuse transparency: a logo gets the ground that it lies on. */
export function opaqueLogo(png: Buffer, background: string): Promise<Buffer> {
  return sharp(png).flatten({ background }).png({ compressionLevel: 9 }).toBuffer();
}

/** A one-page PDF, exactly `mm` wide, with the code as vector shapes; equal input, equal bytes. */
export async function pdfOf(
  drawing: CodeDrawing,
  mm: number,
  { logo, title = 'QR code' }: { logo?: Buffer; title?: string },
): Promise<Buffer> {
  const { document, addPage, finish } = openPdf(title);
  const { width, height } = boxOf(drawing);
  addPage({ width: mm, height: (mm * height) / width });
  const opaque = logo && drawing.logo ? await opaqueLogo(logo, underLogo(drawing)) : undefined;
  paintCode(document, drawing, {
    x: 0,
    y: 0,
    width: mm * POINTS_PER_MM,
    logo: opaque && openImage(document, opaque),
  });
  return finish();
}

let library: Promise<PDFiumLibrary> | undefined;

async function openLibrary(): Promise<PDFiumLibrary> {
  library ??= readWasm('@hyzyla/pdfium/pdfium.wasm').then((wasmBinary) => PDFiumLibrary.init({ wasmBinary }));
  try {
    return await library;
  } catch (error) {
    library = undefined;
    throw error;
  }
}

/** The first page of a PDF as pixels, `width` of them wide. */
export async function pdfPixels(pdf: Uint8Array, width: number): Promise<Pixels> {
  for await (const pixels of pdfPages(pdf, () => width)) return pixels;
  throw new Error('a PDF without a page');
}

/** The pages of a PDF as pixels, one after the other; `widthOf` says how many across, nothing for a page not wanted. */
export async function* pdfPages(
  pdf: Uint8Array,
  widthOf: (page: number) => number | undefined,
): AsyncGenerator<Pixels & { page: number }> {
  const opened = await (await openLibrary()).loadDocument(pdf);
  try {
    for (let number = 0; number < opened.getPageCount(); number += 1) {
      const wanted = widthOf(number);
      if (wanted === undefined) continue;
      const page = opened.getPage(number);
      const scale = wanted / page.getOriginalSize().originalWidth;
      const { data, width, height } = await page.render({ scale, render: 'bitmap' });
      yield { data, width, height, page: number };
    }
  } finally {
    opened.destroy();
  }
}
