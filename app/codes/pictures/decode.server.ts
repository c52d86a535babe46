import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

const installed = createRequire(import.meta.url);
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Where a PNG says which channels it has. */
const PNG_KIND = 25;

// Two symbols are looked for, so that a logo which is a code itself is noticed.
const READER_OPTIONS: ReaderOptions = {
  formats: ['QRCode'],
  textMode: 'Plain',
  tryInvert: false,
  tryRotate: false,
  maxNumberOfSymbols: 2,
};

export interface Pixels {
  /** Four bytes a pixel, row by row; the order of the colours does not matter to the reader. */
  data: Uint8Array;
  width: number;
  height: number;
}

let reader: Promise<unknown> | undefined;

/** The wasm file of a package as its own buffer: Node has no address to fetch it from. */
export async function readWasm(name: string): Promise<ArrayBuffer> {
  const bytes = await readFile(installed.resolve(name));
  return new Uint8Array(bytes).buffer;
}

async function prepareReader(): Promise<void> {
  reader ??= readWasm('zxing-wasm/reader/zxing_reader.wasm').then((wasmBinary) =>
    prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true }),
  );
  try {
    await reader;
  } catch (error) {
    reader = undefined;
    throw error;
  }
}

async function decode(image: Uint8Array | ImageData): Promise<string | null> {
  await prepareReader();
  const found = await readBarcodes(image, READER_OPTIONS);
  const texts = new Set(found.map((symbol) => symbol.text));
  const [text = null] = texts;
  return texts.size === 1 ? text : null;
}

/** The text of the one code in a picture; null when there is none or when two codes contradict. */
export function decodePixels({ data, width, height }: Pixels): Promise<string | null> {
  const clamped = new Uint8ClampedArray(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  return decode({ data: clamped, width, height, colorSpace: 'srgb' });
}

/** Like `decodePixels`, for the bytes of a picture, clear parts laid on white, or an SVG drawn `width` pixels wide. */
export async function decodeImage(bytes: Uint8Array, width = 1000): Promise<string | null> {
  const isPng = PNG_SIGNATURE.every((byte, index) => bytes[index] === byte);
  // Kinds 4 and 6 of a PNG have an alpha channel, and what is clear counts as black there.
  if (isPng && (bytes[PNG_KIND] ?? 0) < 4) return decode(bytes);
  return decodePixels(await pixelsOf(bytes, width));
}

/** A picture on white: an SVG drawn `width` pixels wide, any other as wide as it is, or no wider than `most`. */
export async function pixelsOf(bytes: Uint8Array, width: number, most?: number): Promise<Pixels> {
  const { width: natural, format } = await sharp(bytes).metadata();
  const isSvg = format === 'svg';
  const density = Math.min(2400, Math.max(1, (72 * width) / natural));
  const { data, info } = await sharp(bytes, isSvg ? { density } : {})
    .resize({ width: isSvg ? undefined : most, withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
