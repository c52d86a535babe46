import sharp, { type Sharp } from 'sharp';
import type { View } from '~/codes/look/scan-report';
import type { Pixels } from './decode.server';

/** Three bytes a pixel. */
interface Rgb {
  data: Buffer;
  width: number;
  height: number;
}

/** The picture that all views of a code are made of. */
export interface Master extends Rgb {
  /** Of the code without its frame, quiet zone included. */
  modules: number;
  pixelsPerModule: number;
}

interface Recipe {
  /** Width of the code in the view, without its frame and with its quiet zone … */
  pixels: number;
  /** … but at least so many pixels a module: in fewer nobody could tell the modules of a dense code apart. */
  perModule: number;
  /** What is done to the picture once it has that size. */
  effect?: (picture: Rgb, pixelsPerModule: number) => Sharp | Promise<Sharp>;
}

const PAGE = '#c2703d';
const WHITE = '#ffffff';
const NOISE_SEED = 16;

const RECIPES: Record<View, Recipe> = {
  large: { pixels: 400, perModule: 5 },
  medium: { pixels: 200, perModule: 4 },
  small: { pixels: 120, perModule: 3 },
  turned: { pixels: 240, perModule: 4, effect: (rgb) => imageOf(rgb).rotate(12, { background: WHITE }) },
  tilted: { pixels: 300, perModule: 5, effect: (rgb) => tilt(rgb, 16) },
  blurred: { pixels: 240, perModule: 5, effect: (rgb, module) => imageOf(rgb).blur(0.3 * module) },
  dim: { pixels: 240, perModule: 4, effect: (rgb) => imageOf(rgb).linear(0.25, 6) },
  faded: { pixels: 240, perModule: 4, effect: (rgb) => imageOf(rgb).linear(0.55, 85) },
  shadow: { pixels: 240, perModule: 4, effect: (rgb) => shade(rgb, 0.35) },
  noisy: { pixels: 240, perModule: 4, effect: (rgb) => addNoise(rgb, 15) },
  jpeg: {
    pixels: 200,
    perModule: 4,
    effect: async (rgb) => sharp(await imageOf(rgb).jpeg({ quality: 20 }).toBuffer()),
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
  const { data, info } = await imageOf(master).resize(width).raw().toBuffer({ resolveWithObject: true });
  const picture = { data, width: info.width, height: info.height };
  const seen = effect ? await effect(picture, pixelsPerModule) : imageOf(picture);
  const done = await seen.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: done.data, width: done.info.width, height: done.info.height };
}

/** Of the half width of a picture: how far away it is looked at from. */
const EYE_DISTANCE = 5;
/** So that the nearer edge fits into the view as well. */
const STEP_BACK = 1.08;

/** Leant back by so many degrees: the upper edge comes nearer, the lower one goes away. */
function tilt({ data, width, height }: Rgb, degrees: number): Sharp {
  const out = Buffer.alloc(data.length, 0xff);
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
      copyBetween({ data, width, height }, x, down * half + middle - 0.5, out, (row * width + column) * 3);
    }
  }
  return imageOf({ data: out, width, height });
}

/** The colour between four pixels, each as much as it is near; nothing outside the picture. */
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

/** Light from the upper left; the share `least` of it reaches the lower right corner. */
function shade({ data, width, height }: Rgb, least: number): Sharp {
  const out = Buffer.alloc(data.length);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const light = 1 - ((1 - least) * (row / height + column / width)) / 2;
      const at = (row * width + column) * 3;
      for (let channel = at; channel < at + 3; channel++)
        out[channel] = Math.round((data[channel] ?? 0) * light);
    }
  }
  return imageOf({ data: out, width, height });
}

/** Grain of a sensor in bad light, the same every time. */
function addNoise({ data, width, height }: Rgb, deviation: number): Sharp {
  const random = mulberry32(NOISE_SEED);
  const out = Buffer.alloc(data.length);
  for (let at = 0; at < data.length; at += 3) {
    // Four uniform numbers are nearly a normal one: their variance is a third.
    const grain = (random() + random() + random() + random() - 2) * Math.sqrt(3) * deviation;
    for (let channel = at; channel < at + 3; channel++) {
      out[channel] = Math.max(0, Math.min(255, Math.round((data[channel] ?? 0) + grain)));
    }
  }
  return imageOf({ data: out, width, height });
}

/** Numbers from 0 to 1 that a seed decides, by Tommy Ettinger's mulberry32. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** On a coloured page, which begins where the picture ends. */
function onPage(rgb: Rgb): Sharp {
  const { width, height } = rgb;
  return imageOf(rgb).extend({
    top: Math.round(height * 0.2),
    left: Math.round(width * 0.4),
    bottom: Math.round(height * 0.6),
    right: Math.round(width * 0.2),
    background: PAGE,
  });
}
