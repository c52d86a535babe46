import sharp from 'sharp';
import { expect, test } from 'vitest';
import { DEFAULT_STYLE, FRAMES, PAPER, type Style } from '#contract/style-rules';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { makeFile, prepareArtwork } from '~/codes/pictures/code-files.server';
import { boxOf, svgOf } from '~/codes/pictures/code-image';
import { POINTS_PER_MM, pdfOf, pdfPixels } from '~/codes/pictures/code-pdf.server';
import { jpegOf, pngOf } from '~/codes/pictures/code-png.server';
import { examine } from '~/codes/pictures/examine.server';
import { CaptionError } from '~/codes/pictures/unreadable-code';
import { listLogos } from './logos';

const SCAN_ADDRESS = 'https://QUADRILLE.EXAMPLE/R/7K3M9QXD';
const logos = await listLogos();

function styled(style: Partial<Style>): Style {
  return { ...DEFAULT_STYLE, ...style };
}

const STYLES: [string, Style][] = [
  ['rounded ink', styled({ moduleShape: 'rounded', ringShape: 'rounded', centreShape: 'circle' })],
  ['dots in a badge', styled({ moduleShape: 'dots', frame: 'badge', caption: 'Menü & Karte' })],
  ['bars on a ticket', styled({ moduleShape: 'bars-vertical', frame: 'ticket', caption: 'Scan me' })],
  [
    'rows with a gradient',
    styled({
      moduleShape: 'bars-horizontal',
      gradientColour: '#a4210d',
      gradientAngle: 60,
      ringShape: 'leaf',
    }),
  ],
  [
    'squares in colours below a caption',
    styled({
      moduleColour: '#0b5d3b',
      cornerColour: '#5b1a6b',
      groundColour: '#fff4d6',
      frameColour: '#e9a23b',
      frame: 'caption-above',
      caption: 'Сканируйте меню на столе',
    }),
  ],
];

test.each(STYLES)('%s: a PDF is the same picture to the decoders in every size', async (_, style) => {
  const drawing = drawCaptioned(SCAN_ADDRESS, { style });
  const { width, height } = boxOf(drawing);
  for (const mm of [15, 40, 60, 500]) {
    const picture = await pdfPixels(await pdfOf(drawing, mm, {}), 300);
    expect([mm, picture.width, picture.height]).toEqual([mm, 300, Math.round((300 * height) / width)]);
  }
});

test.each(STYLES)(
  '%s: every format can be decoded, and its receipt has the same grade as the form',
  async (_, style) => {
    const order = { payload: SCAN_ADDRESS, style, logo: logos.get('heart.svg'), useWhiteBackground: true };
    const { scan } = await examine(order);
    for (const format of ['png', 'jpeg', 'svg', 'pdf'] as const) {
      const { receipt } = await makeFile({ ...order, format, size: format === 'pdf' ? 40 : 420 });
      expect([format, receipt.readBack]).toEqual([format, SCAN_ADDRESS]);
      expect(receipt.scan).toEqual(scan);
    }
  },
);

test.each(STYLES)(
  '%s: a PNG and a JPEG have the requested width and a proportional height',
  async (_, style) => {
    const drawing = drawCaptioned(SCAN_ADDRESS, { style });
    const box = boxOf(drawing);
    for (const width of [300, 301, 1024]) {
      for (const bytes of [await pngOf(drawing, width), await jpegOf(drawing, width)]) {
        const found = await sharp(bytes).metadata();
        const isOpenAround = found.format === 'png' && style.frame !== 'none';
        expect([found.width, found.hasAlpha]).toEqual([width, isOpenAround]);
        // Rounding to whole pixels leaves a rest around the symbol, so the frame is slightly less high.
        expect(Math.abs(found.height - (width * box.height) / box.width)).toBeLessThan(0.04 * width);
      }
    }
  },
);

test.each([300, 997])(
  'square modules keep whole pixels in a PNG of %i with colours and a frame',
  async (width) => {
    const style = styled({ cornerColour: '#a4210d', frame: 'caption-below', frameColour: '#e9a23b' });
    const drawing = drawCaptioned(SCAN_ADDRESS, { style });
    const { data, info } = await sharp(await pngOf(drawing, width))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const colourAt = (x: number, y: number) =>
      data.toString('hex', (y * width + x) * 3, (y * width + x) * 3 + 3);
    const scale = Math.floor(width / boxOf(drawing).width);
    const found = new Set(
      Array.from({ length: width * info.height }, (_, at) => colourAt(at % width, Math.floor(at / width))),
    );
    // The first dark pixel from the left in the symbol's first row of modules is the start of the corner.
    const row = Array.from({ length: info.height }, (_, y) => y).find((y) =>
      Array.from({ length: width }, (_, x) => x).some((x) => colourAt(x, y) === 'a4210d'),
    );
    const left = Array.from({ length: width }, (_, x) => x).find((x) => colourAt(x, row ?? 0) === 'a4210d');
    expect(found).toContain('14203c');
    for (const [at, dark] of drawing.modules.entries()) {
      const [column, line] = [(at % drawing.size) - 4, Math.floor(at / drawing.size) - 4];
      if (Math.min(column, line) < 0 || Math.max(column, line) >= drawing.size - 8) continue;
      const seen = new Set<string>();
      for (let y = 0; y < scale; y += 1) {
        for (let x = 0; x < scale; x += 1) {
          seen.add(colourAt((left ?? 0) + column * scale + x, (row ?? 0) + line * scale + y));
        }
      }
      expect([...seen].every((colour) => (colour === 'ffffff') === (dark === 0)) && seen.size).toBe(1);
    }
  },
);

test('a JPEG keeps its colours sharp', async () => {
  const style = styled({ moduleColour: '#a4210d', cornerColour: '#0b5d3b' });
  const drawing = drawCaptioned(SCAN_ADDRESS, { style });
  const bytes = await jpegOf(drawing, 600);
  const { format, chromaSubsampling } = await sharp(bytes).metadata();
  expect([format, chromaSubsampling]).toEqual(['jpeg', '4:4:4']);
  const [plain, packed] = await Promise.all(
    [await pngOf(drawing, 600), bytes].map((one) => sharp(one).raw().toBuffer()),
  );
  expect(difference(plain ?? Buffer.alloc(0), packed ?? Buffer.alloc(0))).toBeLessThan(1.5);
});

test('a transparent background is left out of a PNG and an SVG but painted in other formats', async () => {
  const style = styled({
    transparentGround: true,
    groundColour: '#ffe9b0',
    moduleShape: 'rounded',
    frame: 'ticket',
    caption: 'Menu',
  });
  const order = { payload: SCAN_ADDRESS, style };
  const groundOf = async (bytes: Uint8Array) => {
    const { data } = await sharp(bytes)
      .ensureAlpha()
      .extract({ left: 100, top: 45, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return [...data];
  };
  const [png, jpeg, svg] = await Promise.all(
    (['png', 'jpeg', 'svg'] as const).map((format) => makeFile({ ...order, format, size: 400 })),
  );
  expect([png, jpeg, svg].map((file) => file?.receipt.readOn)).toEqual(['#ffffff', undefined, '#ffffff']);
  expect(await groundOf(png?.bytes ?? new Uint8Array())).toEqual([0, 0, 0, 0]);
  expect(await groundOf(svg?.bytes ?? new Uint8Array())).toEqual([0, 0, 0, 0]);
  const [red = 0, green = 0, blue = 0, alpha] = await groundOf(jpeg?.bytes ?? new Uint8Array());
  expect(Math.hypot(red - 0xff, green - 0xe9, blue - 0xb0)).toBeLessThan(6);
  expect(alpha).toBe(255);
  const pdf = await makeFile({ ...order, format: 'pdf', size: 40 });
  const { data, width } = await pdfPixels(pdf.bytes, 400);
  expect([...data.subarray((45 * width + 100) * 4, (45 * width + 100) * 4 + 3)].sort()).toEqual([
    0xb0, 0xe9, 0xff,
  ]);
});

test.each(FRAMES.filter((frame) => frame !== 'none'))(
  'around frame %s, a PNG and an SVG are transparent, a JPEG and a PDF white',
  async (frame) => {
    const logo = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#0b5d3b' } })
      .png()
      .toBuffer();
    const style = styled({ groundColour: '#ffe9b0', frame, caption: 'Menu' });
    const artwork = await prepareArtwork(logo);
    const drawing = drawCaptioned(SCAN_ADDRESS, { style, logoHref: artwork?.href });
    const pdf = await pdfPixels(await pdfOf(drawing, 40, { logo: artwork?.png }), 400);
    const pictures = {
      png: sharp(await pngOf(drawing, 400, artwork?.png)),
      svg: sharp(Buffer.from(svgOf(drawing, { px: 400 }))),
      jpeg: sharp(await jpegOf(drawing, 400, artwork?.png)),
      pdf: sharp(pdf.data, { raw: { width: pdf.width, height: pdf.height, channels: 4 } }),
    };
    const { x, y, width } = boxOf(drawing);
    const middle = [x, y].map((start) => Math.round(((drawing.size / 2 - start) * 400) / width));
    for (const [format, picture] of Object.entries(pictures)) {
      const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
      const colourAt = (left = 0, top = 0) => [
        ...data.subarray((top * info.width + left) * 4).subarray(0, 4),
      ];
      const around = format === 'png' || format === 'svg' ? [0, 0, 0, 0] : [255, 255, 255, 255];
      for (const left of [0, info.width - 1]) {
        for (const top of [0, info.height - 1]) {
          const away = colourAt(left, top).map((value, channel) => Math.abs(value - (around[channel] ?? 0)));
          expect([format, Math.max(...away) < 6]).toEqual([format, true]);
        }
      }
      const [red = 0, green = 0, blue = 0, alpha] = colourAt(...middle);
      expect(Math.hypot(red - 0x0b, green - 0x5d, blue - 0x3b)).toBeLessThan(6);
      expect(alpha).toBe(255);
    }
  },
);

test('a file with a caption that the font cannot draw is never made', async () => {
  const style = styled({ frame: 'badge', caption: '扫一扫' });
  await expect(makeFile({ payload: SCAN_ADDRESS, style, format: 'svg', size: 400 })).rejects.toThrow(
    CaptionError,
  );
});

test.each(STYLES)('%s: SVG and PDF look the same when rendered by two programs', async (_, style) => {
  const drawing = drawCaptioned(SCAN_ADDRESS, { style });
  const { width, height } = boxOf(drawing);
  const across = width * 12;
  const svg = await sharp(Buffer.from(svgOf(drawing, { px: across })))
    .flatten({ background: PAPER })
    .removeAlpha()
    .raw()
    .toBuffer();
  const pdf = await pdfPixels(await pdfOf(drawing, (width * 4) / POINTS_PER_MM, {}), across);
  expect([pdf.width, pdf.height]).toEqual([across, height * 12]);
  const same = await sharp(pdf.data, { raw: { width: pdf.width, height: pdf.height, channels: 4 } })
    .removeAlpha()
    .raw()
    .toBuffer();

  expect(difference(svg, same)).toBeLessThan(1);
});

/** Mean difference of two pictures, from 0 to 255. */
function difference(one: Buffer, other: Buffer): number {
  expect(one.length).toBe(other.length);
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += Math.abs((one[at] ?? 0) - (other[at] ?? 0));
  return sum / one.length;
}

test('a logo in the background colour leaves an empty square that all decoders tolerate', async () => {
  const groundColour = '#ffd447';
  const logo = await sharp({ create: { width: 64, height: 64, channels: 3, background: groundColour } })
    .png()
    .toBuffer();
  const style = styled({ groundColour, moduleShape: 'rounded', ringShape: 'circle', centreShape: 'leaf' });
  for (const useWhiteBackground of [false, true]) {
    const design = { payload: SCAN_ADDRESS, logo, style, useWhiteBackground };
    expect((await examine(design)).scan.grade).toBe('A');
    const { bytes } = await makeFile({ ...design, format: 'png', size: 400 });
    const { data } = await sharp(bytes)
      .extract({ left: 190, top: 190, width: 20, height: 20 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(data.toString('hex')).toBe('ffd447'.repeat(400));
  }
});

test.each(['heart.svg', 'transparent', 'tiny', 'wide'])(
  'the logo %s on a round backing looks the same in print as on screens',
  async (name) => {
    const style = styled({ groundColour: '#7fb8ff', moduleShape: 'rounded' });
    const { png, href } = (await prepareArtwork(logos.get(name))) ?? {};
    const drawing = drawCaptioned(SCAN_ADDRESS, { style, useWhiteBackground: true, logoHref: href });
    const across = drawing.size * 16;
    const { x = 0, y = 0, size = 0 } = drawing.logo ?? {};
    const [left, top, side] = [x, y, size].map((modules) => Math.round(modules * 16)) as [
      number,
      number,
      number,
    ];
    const underLogo = { left, top, width: side, height: side };
    const svg = sharp(Buffer.from(svgOf(drawing, { px: across }))).extract(underLogo);
    const printed = await pdfPixels(
      await pdfOf(drawing, (drawing.size * 4) / POINTS_PER_MM, { logo: png }),
      across,
    );
    const raw = { width: printed.width, height: printed.height, channels: 4 } as const;
    const pdf = sharp(printed.data, { raw }).extract(underLogo);
    const [one, other] = await Promise.all(
      [svg, pdf].map((picture) => picture.removeAlpha().raw().toBuffer({ resolveWithObject: true })),
    );
    expect(one?.info).toMatchObject({ width: side, height: side });
    expect(difference(one?.data ?? Buffer.alloc(0), other?.data ?? Buffer.alloc(1))).toBeLessThan(0.5);
  },
);
