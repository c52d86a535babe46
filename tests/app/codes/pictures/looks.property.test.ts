import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import {
  CORNER_SHAPES,
  checkStyle,
  FRAMES,
  isDefaultStyle,
  MODULE_SHAPES,
  type Style,
} from '#contract/style-rules';
import type { Examination } from '~/codes/look/scan-report';
import { applyFix } from '~/codes/look/style-fixes';
import { type Design, firstDrawing, makeFile, prepareArtwork } from '~/codes/pictures/code-files.server';
import { boxOf } from '~/codes/pictures/code-image';
import { pdfPixels } from '~/codes/pictures/code-pdf.server';
import type { Pixels } from '~/codes/pictures/decode.server';
import { readWithAll } from '~/codes/pictures/decoders.server';
import { examine } from '~/codes/pictures/examine.server';
import { PoorGradeError } from '~/codes/pictures/unreadable-code';
import { finderLogo } from './logos';
import { pixelsOf } from './pixels';

/**
 * Number of looks, which are the same in every run;
 * `LOOKS=2000 SEED=7 npx vitest run --project=unit looks.property` draws others.
 */
const numRuns = Number(process.env.LOOKS ?? 8);
const seed = Number(process.env.SEED ?? 16);

const byte = fc.integer({ min: 0, max: 255 });
const colour = fc
  .tuple(byte, byte, byte)
  .map((rgb) => `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`);
const style: fc.Arbitrary<Style> = fc
  .record({
    version: fc.constant(1 as const),
    moduleShape: fc.constantFrom(...MODULE_SHAPES),
    ringShape: fc.constantFrom(...CORNER_SHAPES),
    centreShape: fc.constantFrom(...CORNER_SHAPES),
    moduleColour: colour,
    cornerColour: colour,
    groundColour: fc.oneof(
      { weight: 2, arbitrary: fc.constant('#ffffff') },
      { weight: 1, arbitrary: colour },
    ),
    transparentGround: fc.boolean(),
    gradientColour: fc.option(colour),
    gradientAngle: fc.integer({ min: 0, max: 359 }),
    frame: fc.constantFrom(...FRAMES),
    caption: fc.constantFrom('Scan me', 'Menü', 'Сканируйте меню на столе', 'Wi-Fi: 12 €'),
    frameColour: colour,
  })
  .filter((drawn) => Object.keys(checkStyle(drawn)).length === 0 && !isDefaultStyle(drawn));
const slug = fc.string({
  unit: fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
  minLength: 8,
  maxLength: 8,
});
const payload = fc.oneof(
  slug.map((text) => `https://QDR.LI/R/${text}`),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 80 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
);
const logo = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'none' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plain' as const), colour }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('blocks' as const),
      bytes: fc.uint8Array({ minLength: 192, maxLength: 192 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'corners' as const }) },
);
const looks = fc.record({ style, payload, logo, useWhiteBackground: fc.boolean() });
type Drawn = typeof looks extends fc.Arbitrary<infer Value> ? Value : never;

async function logoOf(drawn: Drawn['logo']): Promise<Buffer | undefined> {
  if (drawn.kind === 'none') return undefined;
  if (drawn.kind === 'corners') return finderLogo();
  const image =
    drawn.kind === 'plain'
      ? sharp({ create: { width: 64, height: 64, channels: 3, background: drawn.colour } })
      : sharp(drawn.bytes, { raw: { width: 8, height: 8, channels: 3 } }).resize(256, 256, {
          kernel: 'nearest',
        });
  return image.png().toBuffer();
}

const BY_RESVG = 'SVG by resvg';

/**
 * Renders a design's files with each program, 300 pixels wide or more, so that modules have at least four.
 */
async function* picturesOf(design: Design): AsyncGenerator<[string, Pixels]> {
  const { width } = boxOf(firstDrawing(design, await prepareArtwork(design.logo)));
  // A drawing after the first may have a larger version.
  const size = Math.max(300, 4 * (width + 12));
  yield ['PNG', await pixelsOf((await makeFile({ ...design, format: 'png', size })).bytes)];
  const svg = (await makeFile({ ...design, format: 'svg', size })).bytes;
  yield ['SVG by librsvg', await pixelsOf(svg)];
  const drawn = new Resvg(Buffer.from(svg), { background: '#fff' }).render();
  yield [BY_RESVG, { data: new Uint8Array(drawn.pixels), width: drawn.width, height: drawn.height }];
  yield ['PDF', await pdfPixels((await makeFile({ ...design, format: 'pdf', size: 60 })).bytes, size)];
}

const tally: Record<string, number> = {};

/** Also makes a PNG of the usual width, and a JPEG and a PDF of each of `widths`, in pixels and tenths of a millimetre. */
async function problemsOfGraded(design: Design, widths: number[]): Promise<string[]> {
  const problems: string[] = [];
  try {
    await makeFile({ ...design, format: 'png', size: 1024 });
    for (const width of widths) {
      await makeFile({ ...design, format: 'jpeg', size: width });
      await makeFile({ ...design, format: 'pdf', size: width / 10 });
    }
    for await (const [picture, pixels] of picturesOf(design)) {
      const read = Object.entries(await readWithAll(pixels));
      const missed = read.flatMap(([decoder, text]) => (text === design.payload ? [] : [decoder]));
      // jsQR misses one or two in a hundred pictures by resvg that it reads from the product's own renderer.
      if (picture === BY_RESVG ? missed.length > 1 : missed.length > 0) {
        problems.push(`${missed.join(', ')} does not read the ${picture}`);
      }
      if (missed.length > 0) tally[picture] = (tally[picture] ?? 0) + 1;
    }
  } catch (error) {
    problems.push(`no file: ${error}`);
  }
  return problems;
}

async function problemsOfRefused(design: Design & { style: Style }, { fixes }: Examination) {
  const refused = await makeFile({ ...design, format: 'svg', size: 300 }).then(
    () => false,
    (error: unknown) => error instanceof PoorGradeError,
  );
  const problems = refused ? [] : ['handed out without a grade'];
  if (fixes.length === 0) problems.push('no fix is offered');
  const { style, logo, useWhiteBackground = false } = design;
  for (const fix of fixes) {
    const fixed = applyFix({ style, hasLogo: logo !== undefined, useWhiteBackground }, fix);
    const { scan } = await examine({ ...design, ...fixed, logo: fixed.hasLogo ? logo : undefined });
    if (scan.grade === null) problems.push(`${fix} does not fix it`);
  }
  return problems;
}

async function examineDrawn(drawn: Drawn, widths: number[]) {
  const design = { ...drawn, logo: await logoOf(drawn.logo) };
  const examination = await examine(design);
  const grade = examination.scan.grade ?? 'none';
  const problems = await (grade === 'none'
    ? problemsOfRefused(design, examination)
    : problemsOfGraded(design, widths));
  return { grade, problems };
}

const ROUND = { version: 1, ringShape: 'circle', centreShape: 'circle', groundColour: '#ffffff' } as const;

// jsQR reads these, with exactly these contents, in every other picture, depending on how edges fall between pixels.
test.each<[string, Drawn]>([
  [
    'in bars on a transparent ticket',
    {
      style: {
        ...ROUND,
        moduleShape: 'bars-horizontal',
        moduleColour: '#126363',
        cornerColour: '#7004af',
        transparentGround: true,
        gradientColour: null,
        gradientAngle: 2,
        frame: 'ticket',
        caption: 'Scan me',
        frameColour: '#f008cd',
      },
      payload: 'HTTPS://QDR.LI/R/Y15JHRAX',
      logo: { kind: 'corners' },
      useWhiteBackground: false,
    },
  ],
  [
    'in squares below a caption',
    {
      style: {
        ...ROUND,
        moduleShape: 'square',
        moduleColour: '#f80295',
        cornerColour: '#3a9005',
        transparentGround: false,
        gradientColour: '#a6340e',
        gradientAngle: 82,
        frame: 'caption-above',
        caption: 'Wi-Fi: 12 €',
        frameColour: '#072d68',
      },
      payload: '^iHr6=C',
      logo: { kind: 'corners' },
      useWhiteBackground: false,
    },
  ],
  [
    'in squares on a ticket',
    {
      style: {
        ...ROUND,
        moduleShape: 'square',
        moduleColour: '#f328ca',
        cornerColour: '#ad0467',
        transparentGround: false,
        gradientColour: '#f5004b',
        gradientAngle: 81,
        frame: 'ticket',
        caption: 'Wi-Fi: 12 €',
        frameColour: '#3913d9',
      },
      payload: 'HTTPS://QDR.LI/R/XCC9T9X4',
      logo: { kind: 'corners' },
      useWhiteBackground: true,
    },
  ],
])('a picture of three corners %s: it is handed out if it has a grade, and only then', async (_, drawn) => {
  expect((await examineDrawn(drawn, [300, 410, 487, 965])).problems).toEqual([]);
});

test('every decoder reads every file of a graded look, and every fix of an ungraded look gets it a grade', {
  timeout: 7_200_000,
}, async () => {
  const grades: Record<string, number> = { A: 0, B: 0, C: 0, none: 0 };
  const failures: unknown[] = [];
  const widths = fc.sample(fc.integer({ min: 400, max: 2_000 }), { numRuns, seed });
  for (const [index, drawn] of fc.sample(looks, { numRuns, seed }).entries()) {
    const width = widths[index] ?? 1024;
    const { grade, problems } = await examineDrawn(drawn, [width]);
    grades[grade] = (grades[grade] ?? 0) + 1;
    if (problems.length > 0) failures.push({ grade, problems, width, ...drawn, logo: drawn.logo.kind });
  }
  if (process.env.LOOKS) process.stdout.write(`${JSON.stringify({ seed, numRuns, grades, tally })}\n`);
  expect(failures).toEqual([]);
});
