import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CORNER_SHAPES,
  checkStyle,
  contrast,
  DEFAULT_STYLE,
  FRAMES,
  MODULE_SHAPES,
  type Style,
} from '#contract/style-rules';
import { applyMend, colourMends, frameMends, type MENDS, mendsOf } from '~/codes/look/style-mends';

const colour = fc
  .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }))
  .map((rgb) => `#${rgb.map((value) => value.toString(16).padStart(2, '0')).join('')}`);
const style: fc.Arbitrary<Style> = fc.record({
  version: fc.constant(1),
  moduleShape: fc.constantFrom(...MODULE_SHAPES),
  ringShape: fc.constantFrom(...CORNER_SHAPES),
  centreShape: fc.constantFrom(...CORNER_SHAPES),
  moduleColour: colour,
  cornerColour: colour,
  groundColour: colour,
  transparentGround: fc.boolean(),
  gradientColour: fc.option(colour),
  gradientAngle: fc.integer({ min: 0, max: 359 }),
  frame: fc.constantFrom(...FRAMES),
  caption: fc.constant('Scan me'),
  frameColour: colour,
});
const looks = fc.record({ style, hasLogo: fc.boolean(), useWhiteBackground: fc.boolean() });

test('refused colours have a fix that makes them valid', () => {
  fc.assert(
    fc.property(style, (bad) => {
      const isRefused = Object.values(checkStyle(bad)).some((problem) => problem.startsWith('colour_'));
      const mends = colourMends(bad);
      expect(mends.length > 0).toBe(isRefused);
      for (const mend of mends) {
        const mended = applyMend({ style: bad, hasLogo: false, useWhiteBackground: false }, mend).style;
        expect(checkStyle(mended)).toEqual({});
      }
    }),
  );
});

test('an invisible frame has a fix that shows it, and is shown by every other fix', () => {
  fc.assert(
    fc.property(style, (bad) => {
      const isRefused = checkStyle(bad).frameColour === 'frame_invisible';
      expect(frameMends(bad)).toEqual(isRefused ? ['visible_frame'] : []);
      for (const mend of [...frameMends(bad), ...colourMends(bad)]) {
        const mended = applyMend({ style: bad, hasLogo: false, useWhiteBackground: false }, mend).style;
        expect(checkStyle(mended).frameColour).toBeUndefined();
      }
    }),
  );
});

test('every offered fix changes something and is not offered again', () => {
  fc.assert(
    fc.property(looks, (before) => {
      for (const mend of mendsOf(before)) {
        const after = applyMend(before, mend);
        expect(after).not.toEqual(before);
        expect(mendsOf(after)).not.toContain(mend);
      }
    }),
  );
});

test('no two offered fixes have the same result', () => {
  fc.assert(
    fc.property(looks, (before) => {
      const drastic = mendsOf(before).filter((mend) => mend.startsWith('plain'));
      expect(new Set(drastic.map((mend) => JSON.stringify(applyMend(before, mend)))).size).toBe(
        drastic.length,
      );
    }),
  );
});

test('a fix changes only what its name says', () => {
  const weak = {
    style: {
      ...DEFAULT_STYLE,
      moduleShape: 'dots' as const,
      moduleColour: '#8a8a8a',
      gradientColour: '#707070',
      gradientAngle: 30,
      frame: 'badge' as const,
      caption: 'Scan me',
    },
    hasLogo: true,
    useWhiteBackground: false,
  };
  const changed = (mend: (typeof MENDS)[number]) => {
    const { style, ...others } = applyMend(weak, mend);
    const fields = Object.entries(style).filter(([name, value]) => value !== weak.style[name as keyof Style]);
    return [...fields.map(([name]) => name), ...Object.values(others)];
  };
  expect(changed('squares')).toEqual(['moduleShape', true, false]);
  expect(changed('darker')).toEqual(['moduleColour', 'gradientColour', true, false]);
  expect(changed('one_colour')).toEqual(['gradientColour', 'gradientAngle', true, false]);
  expect(changed('white_behind_logo')).toEqual([true, true]);
  expect(changed('no_logo')).toEqual([false, false]);
  expect(applyMend(weak, 'plain').style).toMatchObject({
    moduleShape: 'square',
    frame: 'badge',
    caption: 'Scan me',
  });
});

test('a darker colour keeps its hue, and a dark background becomes lighter', () => {
  const mended = applyMend(
    {
      style: { ...DEFAULT_STYLE, moduleColour: '#ff5500', groundColour: '#aa8866' },
      hasLogo: false,
      useWhiteBackground: false,
    },
    'darker',
  ).style;
  expect(contrast(mended.moduleColour, mended.groundColour)).toBeGreaterThanOrEqual(7);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(mended.moduleColour.slice(at, at + 2), 16),
  );
  expect(red).toBeGreaterThan(green);
  expect(green).toBeGreaterThan(blue);
});

test('a frame does not vanish into the new background, and otherwise keeps its colour', () => {
  const night = { moduleColour: '#ffffff', cornerColour: '#ffffff', groundColour: '#14203c' };
  const framed = { ...DEFAULT_STYLE, ...night, frame: 'badge' as const, caption: 'Open late' };
  const frameAfter = (style: Style, mend: (typeof MENDS)[number]) => {
    const mended = applyMend({ style, hasLogo: true, useWhiteBackground: false }, mend).style;
    return [mended.frameColour, mended.groundColour];
  };
  for (const frameColour of ['#ffffff', '#f5f5f5']) {
    const style = { ...framed, frameColour };
    expect(frameAfter(style, 'swap_colours')).toEqual(['#14203c', '#ffffff']);
    expect(frameAfter(style, 'plain')).toEqual(['#14203c', '#ffffff']);
    expect(frameAfter(style, 'plain_no_logo')).toEqual(['#14203c', '#ffffff']);
  }
  const yellow = { ...framed, frameColour: '#ffd447' };
  expect(frameAfter(yellow, 'swap_colours')).toEqual(['#ffd447', '#ffffff']);
  expect(frameAfter(yellow, 'plain')).toEqual(['#ffd447', '#ffffff']);
  const hidden = { ...DEFAULT_STYLE, frame: 'badge' as const, frameColour: '#ffffff' };
  expect(frameAfter(hidden, 'darker')).toEqual(['#14203c', '#ffffff']);
});
