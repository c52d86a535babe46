import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { payloadOf } from '#contract/contents/contents';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { printAdvice } from '~/codes/files/print-advice';
import { makeFile } from '~/codes/pictures/code-files.server';
import { CodeTooLongError, drawCode, svgOf } from '~/codes/pictures/code-image';
import { pdfPixels } from '~/codes/pictures/code-pdf.server';
import { decodeImage, decodePixels } from '~/codes/pictures/decode.server';
import { readWithAll } from '~/codes/pictures/decoders.server';
import { examine } from '~/codes/pictures/examine.server';
import { UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { runs } from '../../../support/seed';
import { finderLogo, listLogos } from './logos';
import { pixelsOf } from './pixels';

const SCAN_ADDRESS = 'https://QUADRILLE.EXAMPLE/R/7K3M9QXD';
const characters = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 });
const payload = fc
  .oneof(
    characters.map((content) => payloadOf({ type: 'text', content })),
    fc.webUrl().map((content) => payloadOf({ type: 'link', content })),
    fc
      .tuple(fc.emailAddress(), characters)
      .map(([content, subject]) => payloadOf({ type: 'email', content, subject })),
    fc
      .tuple(characters, characters)
      .map(([ssid, passphrase]) => payloadOf({ type: 'wifi', content: '', ssid, passphrase })),
  )
  .filter((text) => text !== '');

const logos = await listLogos();

test.each(['png', 'svg', 'pdf'] as const)(
  'any payload with any logo makes a decodable %s',
  async (format) => {
    const logo = fc.constantFrom(undefined, ...logos.values());
    await fc.assert(
      fc.asyncProperty(
        payload,
        logo,
        fc.boolean(),
        fc.integer({ min: 300, max: 700 }),
        async (text, picture, isRound, size) => {
          const order = { payload: text, format, size: format === 'pdf' ? size / 10 : size };
          const file = await makeFile({ ...order, logo: picture, useWhiteBackground: isRound });
          expect(file.extension).toBe(format);
          expect(file.receipt.readBack).toBe(text);
          const pixels = format === 'pdf' ? await pdfPixels(file.bytes, 1200) : undefined;
          expect(pixels ? await decodePixels(pixels) : await decodeImage(file.bytes, 1200)).toBe(text);
        },
      ),
      runs(10),
    );
  },
);

test.each([300, 301, 997, 4096])(
  'a PNG is %i pixels wide, with whole pixels per module and an even white margin',
  async (size) => {
    const { bytes, contentType } = await makeFile({ payload: SCAN_ADDRESS, format: 'png', size });
    expect(contentType).toBe('image/png');
    const { data, width, height } = await pixelsOf(bytes);
    expect([width, height]).toEqual([size, size]);
    const drawing = drawCode(SCAN_ADDRESS, {});
    const scale = Math.floor(size / drawing.size);
    const margin = Math.floor((size - scale * drawing.size) / 2);
    let wrong = 0;
    for (let y = 0; y < size; y++) {
      const row = Math.floor((y - margin) / scale);
      for (let x = 0; x < size; x++) {
        const column = Math.floor((x - margin) / scale);
        const isInside = row >= 0 && column >= 0 && row < drawing.size && column < drawing.size;
        const isDark = isInside && drawing.modules[row * drawing.size + column] === 1;
        const at = (y * size + x) * 4;
        const colour = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
        if (colour !== (isDark ? 0x14203c : 0xffffff)) wrong += 1;
      }
    }
    expect(wrong).toBe(0);
  },
);

test('the margin of a PNG stays white with a logo, too', async () => {
  const logo = logos.get('black');
  const { bytes } = await makeFile({ payload: SCAN_ADDRESS, format: 'png', size: 413, logo });
  const { data, width } = await pixelsOf(bytes);
  for (let along = 0; along < width * 40; along++) expect(data[along * 4]).toBe(255);
  const middle = (Math.floor(width / 2) * width + Math.floor(width / 2)) * 4;
  expect(Array.from(data.subarray(middle, middle + 3))).toEqual([0, 0, 0]);
});

test('an SVG embeds its logo and declares its size', async () => {
  const logo = logos.get('wide');
  const { bytes, contentType } = await makeFile({
    payload: SCAN_ADDRESS,
    format: 'svg',
    size: 640,
    logo,
    title: 'Menu',
  });
  const svg = new TextDecoder().decode(bytes);
  expect(contentType).toBe('image/svg+xml');
  expect(svg).toContain('width="640" height="640"');
  expect(svg).toMatch(/<image [^>]*href="data:image\/png;base64,[\w+/=]+"\/>/);
  expect(svg).toContain('<title>Menu</title>');
});

test('an SVG shows its logo to programs that read only xlink:href, and to those that read only href', async () => {
  const order = { payload: SCAN_ADDRESS, format: 'svg', size: 640, logo: logos.get('black') } as const;
  const svg = new TextDecoder().decode((await makeFile(order)).bytes);
  const [address, older] = [/ href="[^"]+"/, / xlink:href="[^"]+"/];
  expect(svg).toMatch(/^<svg [^>]*xmlns:xlink="http:\/\/www.w3.org\/1999\/xlink"/);
  const blackAtCentre = [
    svg.replace(address, ''),
    svg.replace(older, ''),
    svg.replace(address, '').replace(older, ''),
  ];
  expect(blackAtCentre.map((text) => centreOf(text))).toEqual([
    [0, 0, 0],
    [0, 0, 0],
    [255, 255, 255],
  ]);
});

/** The colour in the middle of an SVG, as another program renders it. */
function centreOf(svg: string): number[] {
  const { pixels, width, height } = new Resvg(svg).render();
  const at = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 4;
  return [...pixels.subarray(at, at + 3)];
}

const LOOK = { ...DEFAULT_STYLE, moduleShape: 'rounded', frame: 'badge', caption: 'Menu' } as const;

test.each([
  ['a plain code', {}],
  ['a plain code with a logo', { logo: logos.get('heart.svg') }],
  ['a look', { style: LOOK }],
  [
    'a look without a background',
    { style: { ...LOOK, transparentGround: true }, logo: logos.get('heart.svg') },
  ],
])(
  'PNG and JPEG of %s are 600 pixels at 300 dpi, 50.8 mm in print, and its PDF is as wide',
  async (_, design) => {
    const order = { payload: SCAN_ADDRESS, ...design };
    const [png, jpeg] = await Promise.all(
      (['png', 'jpeg'] as const).map(async (format) =>
        Buffer.from((await makeFile({ ...order, format, size: 600 })).bytes),
      ),
    );
    const densities = await Promise.all(
      [png, jpeg].map(async (bytes) => (await sharp(bytes).metadata()).density),
    );
    expect(densities).toEqual([300, 300]);
    // 300 dpi are 11,811 pixels per metre, the unit 1 of a PNG; JFIF has its own unit 1, the inch.
    const physical = png?.indexOf('pHYs') ?? -1;
    expect(png?.subarray(physical + 4, physical + 13).toString('hex')).toBe('00002e2300002e2301');
    expect(jpeg?.subarray(0, 20).toString('hex')).toBe('ffd8ffe000104a46494600010201012c012c0000');
    const pdf = await makeFile({ ...order, format: 'pdf', size: 50.8 });
    expect(Buffer.from(pdf.bytes).toString('latin1')).toMatch(/\/MediaBox \[0 0 144 [\d.]+\]/);
  },
);

/** A text as PDFs have it, in the letters that its bytes stand for. */
function utf16Of(text: string): string {
  return Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('latin1');
}

const INVALID_TITLE = 'Menu\u001b & \uffff\u0008<carte>\u{1f355}';

test.each([
  // Texts of a PDF may have any character, some of them escaped.
  ['pdf', 60, utf16Of(INVALID_TITLE).replace('\b', '\\b')],
  ['svg', 640, '<title>Menu &#38; &#60;carte&#62;\u{1f355}</title>'],
] as const)('a %s has a title with characters that are invalid in documents', async (format, size, title) => {
  const order = { payload: SCAN_ADDRESS, format, size, title: INVALID_TITLE };
  const { bytes, receipt } = await makeFile(order);
  expect(receipt.readBack).toBe(SCAN_ADDRESS);
  expect(Buffer.from(bytes).toString(format === 'pdf' ? 'latin1' : 'utf8')).toContain(title);
});

test.each(['png', 'jpeg'] as const)('the title of a %s does not change it', async (format) => {
  const order = { payload: SCAN_ADDRESS, format, size: 640 };
  const { bytes } = await makeFile(order);
  expect((await makeFile({ ...order, title: INVALID_TITLE })).bytes).toEqual(bytes);
});

test('a PDF has its physical size, its title, no transparency and reproducible bytes', async () => {
  const order = {
    payload: SCAN_ADDRESS,
    format: 'pdf',
    size: 50.8,
    logo: logos.get('heart.svg'),
    title: 'Café',
  } as const;
  const { bytes, receipt } = await makeFile(order);
  const text = Buffer.from(bytes).toString('latin1');
  expect(text).toContain('/MediaBox [0 0 144 144]');
  expect(text).not.toMatch(/CreationDate|SMask|\/Font/);
  expect(text).toContain(utf16Of('Café'));
  expect(receipt).toMatchObject({
    width: 50.8,
    version: 4,
    attempts: 1,
    minPrintMm: 17,
    scanDistanceMm: 409,
  });
  expect((await makeFile(order)).bytes).toEqual(bytes);
  expect(await readWithAll(await pdfPixels(bytes, 410))).toEqual({
    zxing: SCAN_ADDRESS,
    jsqr: SCAN_ADDRESS,
    zbar: SCAN_ADDRESS,
  });
});

test('a drawing that cannot be decoded is replaced by one that can', async () => {
  const text = 'https://menu.example/a-long-path-that-takes-version-ten?at=table-number-twelve-1';
  const logo = await finderLogo();
  expect((await examine({ payload: text, logo })).readBack).toBeNull();
  const { receipt } = await makeFile({ payload: text, format: 'png', size: 600, logo });
  expect(receipt.attempts).toBeGreaterThan(1);
  expect(receipt.readBack).toBe(text);
});

test('a code with another code as its logo is never made', async () => {
  const logo = await sharp(Buffer.from(svgOf(drawCode('another code', {}), { px: 512 })))
    .png()
    .toBuffer();
  await expect(makeFile({ payload: SCAN_ADDRESS, format: 'png', size: 800, logo })).rejects.toThrow(
    UnreadableCodeError,
  );
  expect(await examine({ payload: SCAN_ADDRESS, logo })).toMatchObject({
    readBack: null,
    scan: { grade: null },
  });
});

test.each([
  ['png', 299],
  ['png', 4097],
  ['svg', 0],
  ['pdf', 14],
  ['pdf', 501],
] as const)('a %s of width %d is refused', async (format, size) => {
  await expect(makeFile({ payload: SCAN_ADDRESS, format, size })).rejects.toThrow(RangeError);
});

test('a width that is not a number is refused', async () => {
  const order = { payload: SCAN_ADDRESS, format: 'pdf', size: Number.NaN } as const;
  await expect(makeFile(order)).rejects.toThrow(RangeError);
});

test('a payload too long for the largest symbol is refused with its own error', async () => {
  await expect(makeFile({ payload: 'x'.repeat(1274), format: 'svg', size: 500 })).rejects.toThrow(
    CodeTooLongError,
  );
});

test('a preview can be decoded, and a picture without a code decodes to nothing', async () => {
  const payload = 'Tischreservierung für 2\nDanke!';
  expect((await examine({ payload, logo: logos.get('noise') })).readBack).toBe(payload);
  expect(await decodeImage(logos.get('black') ?? new Uint8Array())).toBeNull();
});

test('print advice: at least 0.4 mm per module, scanned from ten times the width of the symbol', () => {
  expect(printAdvice({ size: 41, mm: 41 })).toEqual({ moduleMm: 1, scanDistanceMm: 330, minPrintMm: 17 });
  expect(printAdvice({ size: 93, mm: 37.2 }).moduleMm).toBeCloseTo(0.4);
});
