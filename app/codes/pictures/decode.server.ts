import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import sharp, { type Sharp } from 'sharp';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

const installed = createRequire(import.meta.url);
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Offset of a PNG's colour type. */
const PNG_KIND = 25;

// Looks for two symbols, so that a logo which is itself a code is noticed.
const READER_OPTIONS: ReaderOptions = {
  formats: ['QRCode'],
  textMode: 'Plain',
  tryInvert: false,
  tryRotate: false,
  maxNumberOfSymbols: 2,
};

export interface Pixels {
  /** Four bytes per pixel, row by row; the reader does not depend on the channel order. */
  data: Uint8Array;
  width: number;
  height: number;
}

let reader: Promise<unknown> | undefined;

/** The wasm file of a package as a buffer of its own: Node has no URL to fetch it from. */
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

/** The text of the one code in a picture; null when there is none or two codes differ. */
export function decodePixels({ data, width, height }: Pixels): Promise<string | null> {
  const clamped = new Uint8ClampedArray(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  return decode({ data: clamped, width, height, colorSpace: 'srgb' });
}

/** Like `decodePixels`, for an image file, with transparency on white, or an SVG drawn `width` pixels wide. */
export async function decodeImage(bytes: Uint8Array, width = 1000): Promise<string | null> {
  const isPng = PNG_SIGNATURE.every((byte, index) => bytes[index] === byte);
  // PNG colour types 4 and 6 have an alpha channel; the decoder would read transparent pixels as black.
  if (isPng && (bytes[PNG_KIND] ?? 0) < 4) return decode(bytes);
  return decodePixels(await pixelsOf(bytes, width));
}

/** A picture on white: an SVG drawn `width` pixels wide, any other at its own width, or `most` at most. */
export async function pixelsOf(bytes: Uint8Array, width: number, most?: number): Promise<Pixels> {
  const { width: natural, format } = await sharp(bytes).metadata();
  if (format === 'svg') return svgPixels(bytes, natural, width);
  return pixelsOnWhite(sharp(bytes).resize({ width: most, withoutEnlargement: true }));
}

/** An SVG with a natural width of `natural` pixels, drawn on white, `width` pixels wide. */
export function svgPixels(svg: Uint8Array, natural: number, width: number): Promise<Pixels> {
  const density = Math.min(2400, Math.max(1, (72 * width) / natural));
  return pixelsOnWhite(sharp(svg, { density }));
}

async function pixelsOnWhite(image: Sharp): Promise<Pixels> {
  const { data, info } = await image
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Scales a picture to a width of `to` pixels. */
export async function shrink({ data, width, height }: Pixels, to: number): Promise<Pixels> {
  const made = await sharp(data, { raw: { width, height, channels: 4 } })
    .resize(to)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: made.data, width: made.info.width, height: made.info.height };
}
