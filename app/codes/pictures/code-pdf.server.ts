import { PDFiumLibrary } from '@hyzyla/pdfium';
import PDFDocument from 'pdfkit';
import sharp from 'sharp';
import { INK, PAPER } from '#contract/style-rules';
import { BACKING_RATIO, boxOf, type CodeDrawing, type Layer, type Look } from '~/codes/pictures/code-image';
import { type Pixels, readWasm } from '~/codes/pictures/decode.server';

export const POINTS_PER_MM = 72 / 25.4;

const SMALLEST = { compressionLevel: 9 };

export type Pdf = InstanceType<typeof PDFDocument>;
/** Result of `openImage`: embedded once, however often it is drawn. */
export type PdfImage = ArrayBuffer & { readonly isOpened: true };

/** A document whose bytes depend only on what is drawn; `finish` returns them. Page sizes are in millimetres. */
export function openPdf(title: string): {
  document: Pdf;
  addPage(size: { width: number; height: number }): void;
  finish(): Promise<Buffer>;
} {
  const info = { Title: title, CreationDate: new Date(0) };
  // Without a default font, which most files do not need.
  const document = new PDFDocument({ autoFirstPage: false, margin: 0, info, displayTitle: true, font: '' });
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

/**
 * Paints the code as vector shapes, `width` points wide; `logo` is the result of `opaqueLogo`, opened with
 * `openImage`.
 */
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
  // The library's types omit this method, and that `image` accepts its result.
  return (document as unknown as { openImage(png: Buffer): PdfImage }).openImage(png);
}

/** What is under a logo: the background, and possibly a round backing on it. */
export interface UnderLogo {
  ground: string;
  backing: string | null;
}

export function underLogo({ look }: CodeDrawing): UnderLogo {
  const fillOf = (part: Layer['part']) => look?.layers.find((layer) => layer.part === part)?.fill ?? null;
  return { ground: fillOf('ground') ?? PAPER, backing: fillOf('backing') };
}

/** Minimum width of a logo image that includes the edge of its backing. */
const BACKED_PIXELS = 512;

/** Flattens a logo onto what is under it: print shops refuse transparency, and its square must not show. */
export async function opaqueLogo(png: Buffer, { ground, backing }: UnderLogo): Promise<Buffer> {
  if (backing === null) return sharp(png).flatten({ background: ground }).png(SMALLEST).toBuffer();
  const { width = 1 } = await sharp(png).metadata();
  // Scales by a whole factor, which keeps the logo's pixels exact.
  const side = width * Math.ceil(BACKED_PIXELS / width);
  const logo = await sharp(png).resize(side, side, { kernel: 'nearest' }).png().toBuffer();
  const disc = `<circle cx="50%" cy="50%" r="${(side / 2) * BACKING_RATIO}" fill="${backing}"/>`;
  const backed = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${disc}</svg>`;
  return sharp(Buffer.from(backed))
    .flatten({ background: ground })
    .composite([{ input: logo }])
    .removeAlpha()
    .png(SMALLEST)
    .toBuffer();
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

/** The first page of a PDF, rendered `width` pixels wide. */
export async function pdfPixels(pdf: Uint8Array, width: number): Promise<Pixels> {
  for await (const pixels of pdfPages(pdf, () => width)) return pixels;
  throw new Error('a PDF without a page');
}

/** Renders the pages of a PDF one by one; `widthOf` gives each width in pixels, or nothing to skip the page. */
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
      const { originalWidth, originalHeight } = page.getOriginalSize();
      // Without a height, the page would be cut to whole points first, and its picture depend on its size in print.
      const size = { width: wanted, height: Math.round((wanted * originalHeight) / originalWidth) };
      const { data, width, height } = await page.render({ ...size, render: 'bitmap' });
      yield { data, width, height, page: number };
    }
  } finally {
    opened.destroy();
  }
}
