import sharp, { type Sharp } from 'sharp';
import type { View } from '~/codes/look/scan-report';
import type { Pixels } from './decode.server';

/** Three bytes per pixel. */
interface Rgb {
  data: Buffer;
  width: number;
  height: number;
}

/** The picture from which all views of a code are made. */
export interface Master extends Rgb {
  /** Modules across the code, with the quiet zone, without the frame. */
  modules: number;
  pixelsPerModule: number;
}

interface Recipe {
  /** Width of the code in the view, with its quiet zone, without its frame. */
  pixels: number;
  /**
   * Minimum pixels per module, regardless of `pixels`: with fewer, the modules of a dense code would blur
   * together.
   */
  perModule: number;
  /** Applied to the picture at that size. */
  effect?: (picture: Rgb, pixelsPerModule: number) => Pixels | Promise<Pixels>;
}

const PAGE = '#c2703d';
const WHITE = '#ffffff';
const NOISE_SEED = 16;

const RECIPES: Record<View, Recipe> = {
  large: { pixels: 400, perModule: 5 },
  medium: { pixels: 200, perModule: 4 },
  small: { pixels: 120, perModule: 3 },
  turned: {
    pixels: 240,
    perModule: 4,
    effect: (rgb) => pixelsOf(imageOf(rgb).rotate(12, { background: WHITE })),
  },
  tilted: { pixels: 300, perModule: 5, effect: (rgb) => tilt(rgb, 16) },
  blurred: { pixels: 240, perModule: 5, effect: (rgb, module) => pixelsOf(imageOf(rgb).blur(0.3 * module)) },
  dim: { pixels: 240, perModule: 4, effect: (rgb) => pixelsOf(imageOf(rgb).linear(0.25, 6)) },
  faded: { pixels: 240, perModule: 4, effect: (rgb) => pixelsOf(imageOf(rgb).linear(0.55, 85)) },
  shadow: { pixels: 240, perModule: 4, effect: (rgb) => shade(rgb, 0.35) },
  noisy: { pixels: 240, perModule: 4, effect: (rgb) => addNoise(rgb, 15) },
  jpeg: {
    pixels: 200,
    perModule: 4,
    effect: async (rgb) => pixelsOf(sharp(await imageOf(rgb).jpeg({ quality: 20 }).toBuffer())),
  },
  page: { pixels: 140, perModule: 4, effect: onPage },
};

function imageOf({ data, width, height }: Rgb): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** A picture as a phone may see it; equal pictures make equal views. */
export async function viewOf(view: View, master: Master): Promise<Pixels> {
  const { pixels, perModule, effect } = RECIPES[view];
  const pixelsPerModule = Math.max(pixels / master.modules, perModule);
  const width = Math.round((master.width * pixelsPerModule) / master.pixelsPerModule);
  const resized = imageOf(master).resize(width);
  if (!effect) return pixelsOf(resized);
  const { data, info } = await resized.raw().toBuffer({ resolveWithObject: true });
  return effect({ data, width: info.width, height: info.height }, pixelsPerModule);
}

async function pixelsOf(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** White, four bytes per pixel. */
function blankOf({ width, height }: Rgb): Pixels & { data: Buffer } {
  return { data: Buffer.alloc(width * height * 4, 0xff), width, height };
}

/** Viewing distance, in half widths of the picture. */
const EYE_DISTANCE = 5;
/** Steps back so that the nearer edge fits into the view too. */
const STEP_BACK = 1.08;

/** Tilts the picture by `degrees`: the upper edge comes nearer, the lower one recedes. */
function tilt(picture: Rgb, degrees: number): Pixels {
  const { width, height } = picture;
  const seen = blankOf(picture);
  const half = width / 2;
  const middle = height / 2;
  const sine = Math.sin((degrees * Math.PI) / 180);
  const cosine = Math.cos((degrees * Math.PI) / 180);
  for (let row = 0; row < height; row++) {
    const y = ((row + 0.5 - middle) / half) * STEP_BACK;
    const down = (y * EYE_DISTANCE) / (EYE_DISTANCE * cosine - y * sine);
    const stretch = STEP_BACK * (1 + (down * sine) / EYE_DISTANCE);
    for (let column = 0; column < width; column++) {
      const x = (column + 0.5 - half) * stretch + half - 0.5;
      copyBetween(picture, x, down * half + middle - 0.5, seen.data, (row * width + column) * 4);
    }
  }
  return seen;
}

/** Bilinear interpolation between four pixels; copies nothing outside the picture. */
function copyBetween({ data, width, height }: Rgb, x: number, y: number, out: Buffer, to: number): void {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left + 1 >= width || top + 1 >= height) return;
  const [right, below] = [x - left, y - top];
  const from = (top * width + left) * 3;
  const under = from + width * 3;
  for (let channel = 0; channel < 3; channel++) {
    const upper = (data[from + channel] ?? 0) * (1 - right) + (data[from + 3 + channel] ?? 0) * right;
    const lower = (data[under + channel] ?? 0) * (1 - right) + (data[under + 3 + channel] ?? 0) * right;
    out[to + channel] = Math.round(upper * (1 - below) + lower * below);
  }
}

/** Light from the upper left; only the share `least` reaches the lower right corner. */
function shade(picture: Rgb, least: number): Pixels {
  const { data, width, height } = picture;
  const seen = blankOf(picture);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const light = 1 - ((1 - least) * (row / height + column / width)) / 2;
      const pixel = row * width + column;
      for (let channel = 0; channel < 3; channel++)
        seen.data[pixel * 4 + channel] = Math.round((data[pixel * 3 + channel] ?? 0) * light);
    }
  }
  return seen;
}

/** Sensor noise in low light, deterministic. */
function addNoise(picture: Rgb, deviation: number): Pixels {
  const { data, width, height } = picture;
  const grains = grainsFor(width * height);
  const seen = blankOf(picture);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const grain = (grains[pixel] ?? 0) * deviation;
    for (let channel = 0; channel < 3; channel++) {
      const noisy = Math.round((data[pixel * 3 + channel] ?? 0) + grain);
      seen.data[pixel * 4 + channel] = Math.max(0, Math.min(255, noisy));
    }
  }
  return seen;
}

/** Sized for the largest picture so far: every picture starts with the same grains. */
let knownGrains = new Float64Array(0);

function grainsFor(pixels: number): Float64Array {
  if (knownGrains.length >= pixels) return knownGrains;
  const random = mulberry32(NOISE_SEED);
  // The sum of four uniform numbers is nearly normal, with a variance of a third.
  knownGrains = Float64Array.from({ length: pixels }, () => {
    return (random() + random() + random() + random() - 2) * Math.sqrt(3);
  });
  return knownGrains;
}

/** Tommy Ettinger's mulberry32: seeded random numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Puts the picture on a coloured page that begins at its edge. */
function onPage(rgb: Rgb): Promise<Pixels> {
  const { width, height } = rgb;
  const page = imageOf(rgb).extend({
    top: Math.round(height * 0.2),
    left: Math.round(width * 0.4),
    bottom: Math.round(height * 0.6),
    right: Math.round(width * 0.2),
    background: PAGE,
  });
  return pixelsOf(page);
}
