import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CORNER_SHAPES,
  checkStyle,
  FRAMES,
  isDefaultStyle,
  MODULE_SHAPES,
  type Style,
} from '#contract/style-rules';
import { applyMend } from '~/codes/look/style-mends';
import { type Design, makeFile } from '~/codes/pictures/code-files.server';
import { pdfPixels } from '~/codes/pictures/code-pdf.server';
import type { Pixels } from '~/codes/pictures/decode.server';
import { readWithAll } from '~/codes/pictures/decoders.server';
import { examine } from '~/codes/pictures/examine.server';
import { PoorGradeError } from '~/codes/pictures/unreadable-code';
import { pixelsOf } from './pixels';

/** The same looks in every run; `LOOKS=2000 SEED=7 npx vitest run --project=unit looks.property` draws others. */
const numRuns = Number(process.env.LOOKS ?? 20);
const seed = Number(process.env.SEED ?? 16);

const colour = fc
  .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }))
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
    transparentGround: fc.constant(false),
    gradientColour: fc.option(colour),
    gradientAngle: fc.integer({ min: 0, max: 359 }),
    frame: fc.constantFrom(...FRAMES),
    caption: fc.constant('Scan me'),
    frameColour: colour,
  })
  .filter((drawn) => Object.keys(checkStyle(drawn)).length === 0 && !isDefaultStyle(drawn));
const slug = fc.string({
  unit: fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
  minLength: 8,
  maxLength: 8,
});
const payload = fc.oneof(
  slug.map((text) => `HTTPS://QDR.LI/R/${text}`),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 80 }),
);

async function pixels(design: Design, format: 'png' | 'svg' | 'pdf'): Promise<Pixels> {
  const { bytes } = await makeFile({ ...design, format, size: format === 'pdf' ? 60 : 300 });
  return format === 'pdf' ? pdfPixels(bytes, 300) : pixelsOf(bytes);
}

test('what is handed out is read from every kind of file, and what is not has a mend that works', {
  timeout: 3_600_000,
}, async () => {
  const grades: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(style, payload, async (look, text) => {
      const design = { payload: text, style: look };
      const { scan, mends } = await examine(design);
      grades[scan.grade ?? 'none'] = (grades[scan.grade ?? 'none'] ?? 0) + 1;
      if (scan.grade === null) {
        await expect(makeFile({ ...design, format: 'svg', size: 300 })).rejects.toThrow(PoorGradeError);
        const [mend] = mends;
        if (!mend) throw new Error('nothing mends it');
        const looks = applyMend({ style: look, hasLogo: false, useWhiteBackground: false }, mend);
        expect((await examine({ payload: text, style: looks.style })).scan.grade).not.toBeNull();
        return;
      }
      for (const format of ['png', 'svg', 'pdf'] as const) {
        const read = Object.values(await readWithAll(await pixels(design, format)));
        // One decoder of three may have its own view of a shape; the grade tells of it.
        if (scan.grade === 'A') expect(read.filter((found) => found === text).length).toBeGreaterThan(1);
        expect(read).toContain(text);
      }
    }),
    { numRuns, seed },
  );
  if (process.env.LOOKS) process.stdout.write(`${JSON.stringify(grades)}\n`);
});
