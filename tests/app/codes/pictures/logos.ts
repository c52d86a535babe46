import { readdir, readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { seededBytes } from '../../../support/seed';

const PRESETS = new URL('../../../../host/codes/logos/presets/', import.meta.url);

/** The preset logos as SVG text, by file name. */
export async function readPresets(): Promise<Map<string, string>> {
  const names = (await readdir(PRESETS)).sort();
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, PRESETS), 'utf8')));
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

type Bytes = ReturnType<typeof seededBytes>;

function plain(width: number, height: number, background: string): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer();
}

function noise(random: Bytes, width: number, height: number): Promise<Buffer> {
  return sharp(random(width * height * 3), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

function blocks(random: Bytes): Promise<Buffer> {
  const bytes = random(100).map((byte) => (byte < 128 ? 0 : 255));
  const image = sharp(bytes, { raw: { width: 10, height: 10, channels: 1 } });
  return image.resize(300, 300, { kernel: 'nearest' }).png().toBuffer();
}

/** Three finder patterns and nothing else, which mislead a decoder most. */
export function finderLogo(): Promise<Buffer> {
  const finder = '<path d="M0 0h7v7h-7zm1 1v5h5v-5zm1 1h3v3h-3z" fill-rule="evenodd"/>';
  const moved = ['0 0', '14 0', '0 14'].map((by) => `<g transform="translate(${by})">${finder}</g>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="420" height="420" viewBox="0 0 21 21">${moved.join('')}</svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

/** Typical uploads: every preset, plain squares, photograph-like noise, wide and tall pictures. */
export async function listLogos(): Promise<Map<string, Buffer>> {
  const logos = new Map<string, Buffer>();
  const random = seededBytes();
  for (const [name, svg] of await readPresets()) {
    logos.set(name, await sharp(Buffer.from(svg), { density: 1536 }).png().toBuffer());
  }
  logos.set('black', await plain(200, 200, '#000'));
  logos.set('white', await plain(200, 200, '#fff'));
  logos.set('transparent', await plain(64, 64, '#0000'));
  logos.set('tiny', await plain(1, 1, '#000'));
  logos.set('wide', await plain(400, 60, '#000'));
  logos.set('tall', await noise(random, 50, 400));
  logos.set('noise', await noise(random, 256, 256));
  logos.set('blocks', await blocks(random));
  return logos;
}
