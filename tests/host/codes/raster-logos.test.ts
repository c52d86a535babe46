import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { expect, test } from 'vitest';
import { drawnOf, logoFile, refusalOf } from './drawn-logo';

const plain = (background: string, width = 60, height = 60) =>
  sharp({ create: { width, height, channels: 4, background } });
const red = plain('#cc0000');

/** How far two colours differ at most in one channel. */
function distance(one: string, other: string): number {
  const bytes = (text: string) => [...Buffer.from(text.slice(1), 'hex')];
  return Math.max(...bytes(one).map((value, n) => Math.abs(value - (bytes(other)[n] ?? 0))));
}

/** A picture of two frames, red and blue. */
const frames = async () => {
  const both = await Promise.all(['#cc0000', '#0000cc'].map((colour) => plain(colour).png().toBuffer()));
  return sharp(both, { join: { animated: true } });
};

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG with the chunks of an animation, after its header. */
async function animatedPng(): Promise<Buffer> {
  const png = await red.clone().png().toBuffer();
  const control = Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]);
  const afterHeader = 8 + 25;
  return Buffer.concat([png.subarray(0, afterHeader), chunk('acTL', control), png.subarray(afterHeader)]);
}

test.each<[string, () => Promise<Buffer>]>([
  ['a CMYK JPEG', () => red.clone().removeAlpha().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()],
  ['a grey JPEG', () => plain('#808080').removeAlpha().greyscale().jpeg().toBuffer()],
  [
    'a progressive JPEG',
    () => red.clone().removeAlpha().jpeg({ progressive: true, quality: 100 }).toBuffer(),
  ],
  ['a PNG of 16 bits', () => red.clone().toColourspace('rgb16').png().toBuffer()],
  ['a PNG with a palette', () => red.clone().png({ palette: true }).toBuffer()],
  ['an interlaced PNG', () => red.clone().png({ progressive: true }).toBuffer()],
  ['the first frame of a GIF', async () => (await frames()).gif().toBuffer()],
  ['the first frame of a WebP', async () => (await frames()).webp({ lossless: true }).toBuffer()],
  ['the first frame of a PNG', animatedPng],
  ['a WebP without loss', () => red.clone().webp({ lossless: true }).toBuffer()],
])('%s keeps its colour', async (name, make) => {
  const { middle, covered, width, height } = await drawnOf(logoFile(await make()));
  expect(distance(middle, name.includes('grey') ? '#808080ff' : '#cc0000ff')).toBeLessThanOrEqual(
    name.includes('CMYK') ? 40 : 2,
  );
  expect({ covered, width, height }).toEqual({ covered: 100, width: 60, height: 60 });
});

test('colours of Display P3 are converted to those of the web', async () => {
  const orange = plain('#da6200').removeAlpha();
  const wide = await orange.png().withIccProfile('p3').toBuffer();
  const [stored = 0] = await sharp(wide, { ignoreIcc: true }).raw().toBuffer();
  expect(stored).toBeLessThan(0xda - 8);
  expect(distance((await drawnOf(logoFile(wide))).middle, '#da6200ff')).toBeLessThanOrEqual(2);
});

test('transparent parts stay so, with a palette and in grey', async () => {
  const upper = { create: { width: 60, height: 30, channels: 4 as const, background: '#000' } };
  const half = await plain('#cc0000')
    .composite([{ input: upper, blend: 'dest-out', gravity: 'north' }])
    .png()
    .toBuffer();
  const pictures = [
    sharp(half).png({ palette: true }),
    sharp(half).greyscale().png(),
    sharp(half).toColourspace('rgb16').png(),
    sharp(half).webp(),
    sharp(half).gif(),
  ];
  for (const picture of pictures) {
    expect((await drawnOf(logoFile(await picture.toBuffer()))).covered).toBe(50);
  }
});

test.each([
  [1, 1, { width: 1, height: 1 }],
  [3_000, 1, { width: 512, height: 1 }],
  [1, 3_000, { width: 1, height: 512 }],
])('a picture of %i by %i pixels is accepted', async (width, height, size) => {
  const png = await plain('#cc0000', width, height).png().toBuffer();
  expect(await drawnOf(logoFile(png))).toMatchObject({ ...size, middle: '#cc0000ff', covered: 100 });
});

test('a picture is recognised by its bytes, whatever its name and type say', async () => {
  const jpeg = await red.clone().removeAlpha().jpeg().toBuffer();
  const named = new File([new Uint8Array(jpeg)], 'logo.svg', { type: 'image/svg+xml' });
  expect((await drawnOf(named)).covered).toBe(100);
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>';
  expect((await drawnOf(new File([drawing], 'logo.png', { type: 'image/png' }))).covered).toBe(100);
});

const heif = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}`, 'latin1');

test.each<[string, () => Promise<Buffer> | Buffer]>([
  ['AVIF', () => red.clone().avif().toBuffer()],
  ['TIFF', () => red.clone().tiff().toBuffer()],
  ['HEIC', () => heif('heic')],
  ['BMP', () => Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)])],
  ['ICO', () => Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0])],
  ['PDF', () => Buffer.from('%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj')],
  ['EPS', () => Buffer.from('%!PS-Adobe-3.0 EPSF-3.0\n')],
  ['AVI, which begins like a WebP', () => Buffer.from('RIFF\x24\0\0\0AVI LIST', 'latin1')],
  ['HTML', () => Buffer.from('<!doctype html><html><body><svg></svg></body></html>')],
  ['XML of another kind', () => Buffer.from('<?xml version="1.0"?><kml/>')],
  ['text', () => Buffer.from('logo')],
])('%s is refused as a kind of file that is not read', async (_, make) => {
  expect(await refusalOf(logoFile(await make(), 'logo.png'))).toBe('logo_not_image');
});

test.each<[string, Sharp]>([
  ['PNG', red.clone().png()],
  ['JPEG', red.clone().removeAlpha().jpeg()],
  ['GIF', red.clone().gif()],
  ['WebP', red.clone().webp()],
])('a %s that was cut off, or has nothing but its beginning, is broken', async (_, picture) => {
  const bytes = await picture.toBuffer();
  expect(await refusalOf(logoFile(bytes))).toBeUndefined();
  expect(await refusalOf(logoFile(bytes.subarray(0, bytes.length / 2)))).toBe('logo_broken');
  expect(await refusalOf(logoFile(bytes.subarray(0, 14)))).toBe('logo_broken');
});

test.each(['png', 'webp', 'gif'] as const)(
  'a %s that is transparent throughout is refused',
  async (format) => {
    const clear = await plain('#cc000000').toFormat(format).toBuffer();
    expect(await refusalOf(logoFile(clear))).toBe('logo_empty');
  },
);

test('a picture is empty if it is paler everywhere than can be seen', async () => {
  const pale = (alpha: number) =>
    plain(`#cc0000${alpha.toString(16).padStart(2, '0')}`)
      .png()
      .toBuffer();
  expect(await refusalOf(logoFile(await pale(7)))).toBe('logo_empty');
  expect(await refusalOf(logoFile(await pale(8)))).toBeUndefined();
});

test('one pixel is enough to be seen', async () => {
  const dot = { create: { width: 1, height: 1, channels: 4 as const, background: '#cc0000' } };
  const png = await plain('#0000')
    .composite([{ input: dot }])
    .png()
    .toBuffer();
  expect(await refusalOf(logoFile(png))).toBeUndefined();
});
