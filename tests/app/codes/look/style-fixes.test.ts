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
import { applyFix, colourFixes, type FIXES, fixesOf, frameFixes } from '~/codes/look/style-fixes';

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
      const fixes = colourFixes(bad);
      expect(fixes.length > 0).toBe(isRefused);
      for (const fix of fixes) {
        const fixed = applyFix({ style: bad, hasLogo: false, useWhiteBackground: false }, fix).style;
        expect(checkStyle(fixed)).toEqual({});
      }
    }),
  );
});

test('an invisible frame has a fix that shows it, and is shown by every other fix', () => {
  fc.assert(
    fc.property(style, (bad) => {
      const isRefused = checkStyle(bad).frameColour === 'frame_invisible';
      expect(frameFixes(bad)).toEqual(isRefused ? ['visible_frame'] : []);
      for (const fix of [...frameFixes(bad), ...colourFixes(bad)]) {
        const fixed = applyFix({ style: bad, hasLogo: false, useWhiteBackground: false }, fix).style;
        expect(checkStyle(fixed).frameColour).toBeUndefined();
      }
    }),
  );
});

test('every offered fix changes something and is not offered again', () => {
  fc.assert(
    fc.property(looks, (before) => {
      for (const fix of fixesOf(before)) {
        const after = applyFix(before, fix);
        expect(after).not.toEqual(before);
        expect(fixesOf(after)).not.toContain(fix);
      }
    }),
  );
});

test('no two offered fixes have the same result', () => {
  fc.assert(
    fc.property(looks, (before) => {
      const drastic = fixesOf(before).filter((fix) => fix.startsWith('plain'));
      expect(new Set(drastic.map((fix) => JSON.stringify(applyFix(before, fix)))).size).toBe(drastic.length);
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
  const changed = (fix: (typeof FIXES)[number]) => {
    const { style, ...others } = applyFix(weak, fix);
    const fields = Object.entries(style).filter(([name, value]) => value !== weak.style[name as keyof Style]);
    return [...fields.map(([name]) => name), ...Object.values(others)];
  };
  expect(changed('squares')).toEqual(['moduleShape', true, false]);
  expect(changed('darker')).toEqual(['moduleColour', 'gradientColour', true, false]);
  expect(changed('one_colour')).toEqual(['gradientColour', 'gradientAngle', true, false]);
  expect(changed('white_behind_logo')).toEqual([true, true]);
  expect(changed('no_logo')).toEqual([false, false]);
  expect(applyFix(weak, 'plain').style).toMatchObject({
    moduleShape: 'square',
    frame: 'badge',
    caption: 'Scan me',
  });
});

test('a darker colour keeps its hue, and a dark background becomes lighter', () => {
  const fixed = applyFix(
    {
      style: { ...DEFAULT_STYLE, moduleColour: '#ff5500', groundColour: '#aa8866' },
      hasLogo: false,
      useWhiteBackground: false,
    },
    'darker',
  ).style;
  expect(contrast(fixed.moduleColour, fixed.groundColour)).toBeGreaterThanOrEqual(7);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(fixed.moduleColour.slice(at, at + 2), 16),
  );
  expect(red).toBeGreaterThan(green);
  expect(green).toBeGreaterThan(blue);
});

test('a frame does not vanish into the new background, and otherwise keeps its colour', () => {
  const night = { moduleColour: '#ffffff', cornerColour: '#ffffff', groundColour: '#14203c' };
  const framed = { ...DEFAULT_STYLE, ...night, frame: 'badge' as const, caption: 'Open late' };
  const frameAfter = (style: Style, fix: (typeof FIXES)[number]) => {
    const fixed = applyFix({ style, hasLogo: true, useWhiteBackground: false }, fix).style;
    return [fixed.frameColour, fixed.groundColour];
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
