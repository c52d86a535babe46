import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_STYLE } from '#contract/style-rules';
import { applyFix } from '~/codes/look/style-fixes';
import { makeFile } from '~/codes/pictures/code-files.server';
import { examine } from '~/codes/pictures/examine.server';
import { finderLogo } from './logos';

const POOR = {
  payload:
    'Table 4, by the window that looks at the garden and the old trees, where the bread is warm and the wine is cool',
  style: {
    ...DEFAULT_STYLE,
    ...({ moduleShape: 'dots', ringShape: 'leaf', centreShape: 'circle' } as const),
    moduleColour: '#000000',
    cornerColour: '#000000',
    groundColour: '#3131ff',
  },
};

afterEach(() => vi.restoreAllMocks());

test('a look without a grade gets its fixes, on a slow machine at least the last resort', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const whole = await examine(POOR);
  expect(whole.scan.grade).toBeNull();
  expect(whole.fixes.length).toBeGreaterThan(1);

  clock.mockReturnValueOnce(0).mockReturnValue(8_001);
  expect(await examine(POOR)).toEqual({ ...whole, fixes: ['plain'] });
});

test('a code whose logo misleads decoders is offered fixes that make it readable, among them one without the logo', async () => {
  const logo = await finderLogo();
  const { style } = POOR;
  const framed = { ...style, frame: 'ticket', caption: 'Scan me' } as const;
  const design = { payload: 'https://DESTINATION.EXAMPLE/R/00001233', logo };
  const { scan, fixes } = await examine({ ...design, style: framed });
  expect(scan.grade).toBeNull();
  expect(
    fixes.some((fix) => !applyFix({ style: framed, hasLogo: true, useWhiteBackground: false }, fix).hasLogo),
  ).toBe(true);
  for (const fix of fixes) {
    const looks = { style: framed, hasLogo: true, useWhiteBackground: false };
    const { hasLogo, ...fixed } = applyFix(looks, fix);
    const file = await makeFile({
      ...design,
      ...fixed,
      logo: hasLogo ? logo : undefined,
      format: 'png',
      size: 600,
    });
    expect(file.receipt.readBack).toBe(design.payload);
  }
});
