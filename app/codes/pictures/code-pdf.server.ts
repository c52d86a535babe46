import { PDFiumLibrary } from '@hyzyla/pdfium';
import PDFDocument from 'pdfkit';
import sharp from 'sharp';
import { type CodeDrawing, INK, PAPER } from '~/codes/pictures/code-image';
import { type Pixels, readWasm } from '~/codes/pictures/decode.server';

const POINTS_PER_MM = 72 / 25.4;

/** A one-page PDF of exactly `mm` by `mm` with the code as vector shapes; equal input, equal bytes. */
export async function pdfOf(
  drawing: CodeDrawing,
  mm: number,
  { logo, title = 'QR code' }: { logo?: Buffer; title?: string },
): Promise<Buffer> {
  const side = mm * POINTS_PER_MM;
  const info = { Title: title, CreationDate: new Date(0) };
  const document = new PDFDocument({ size: [side, side], margin: 0, info, displayTitle: true });
  // The file identifier needs a date; hidden and fixed, it keeps equal codes equal, byte for byte.
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
  const chunks: Buffer[] = [];
  const finished = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  document.rect(0, 0, side, side).fill(PAPER);
  document.scale(side / drawing.size);
  document.path(drawing.path).fill(INK);
  if (logo && drawing.logo) {
    // Printing houses refuse transparency, and the paper under a logo is white anyway.
    const opaque = await sharp(logo).flatten({ background: PAPER }).png({ compressionLevel: 9 }).toBuffer();
    document.image(opaque, drawing.logo.x, drawing.logo.y, { width: drawing.logo.size });
  }
  document.end();
  return finished;
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
  const opened = await (await openLibrary()).loadDocument(pdf);
  try {
    const page = opened.getPage(0);
    const { originalWidth } = page.getOriginalSize();
    const {
      data,
      width: across,
      height,
    } = await page.render({ scale: width / originalWidth, render: 'bitmap' });
    return { data, width: across, height };
  } finally {
    opened.destroy();
  }
}
