import { expect, test } from 'vitest';
import { describeLabels, divide, LABEL_LAYOUTS, layOut, POSTER_LAYOUTS } from '~/codes/files/sheet-layouts';

/** Left and top of the first label, then the steps to the next, according to the makers' templates. */
const PUBLISHED = {
  'a4-24': [7.2, 12.9, 66, 33.9],
  'a4-21': [7.2, 15.1, 66, 38.1],
  'a4-14': [4.65, 15.1, 101.6, 38.1],
  'a4-8': [4.65, 13.1, 101.6, 67.7],
  'a4-4': [4.65, 9.5, 101.6, 139],
  'letter-24': [0.78125, 0.5, 1.8125, 1.7].map((inches) => inches * 25.4),
  'letter-14': [0.15625, 0.8333, 4.1875, 1.3333].map((inches) => inches * 25.4),
  'letter-8': [0.375, 1.125, 4, 2.25].map((inches) => inches * 25.4),
  'letter-4': [0.5, 0.5, 4, 5].map((inches) => inches * 25.4),
};

test.each(Object.entries(PUBLISHED))(
  "the labels of %s are at the positions of the maker's template",
  (name, published) => {
    const { places } = layOut(name as keyof typeof PUBLISHED, false);
    const [first, ...others] = places;
    const right = others.find(({ y }) => y === first?.y);
    const below = others.find(({ x }) => x === first?.x);
    if (!first || !right || !below) throw new Error('no grid');
    const laid = [first.x, first.y, right.x - first.x, below.y - first.y];
    for (const [at, mm] of laid.entries())
      expect(Math.abs(mm - (published[at] ?? 0))).toBeLessThanOrEqual(0.06);
  },
);

test.each([...LABEL_LAYOUTS, ...POSTER_LAYOUTS])(
  'everything on %s is within its label, and labels on the page',
  (name) => {
    for (const hasCutMarks of [false, true]) {
      const { page, places } = layOut(name, hasCutMarks);
      for (const [n, place] of places.entries()) {
        expect(isWithin(place, page)).toBe(true);
        expect(places.slice(n + 1).filter((other) => overlaps(place, other))).toEqual([]);
        for (const [hasCaption, ratio] of [false, true].flatMap((has) =>
          [1, 1.3].map((high) => [has, high] as const),
        )) {
          const { code, caption } = divide(place, hasCaption, ratio);
          expect(isWithin(code, place)).toBe(true);
          expect(code.width).toBeGreaterThan(20 / ratio);
          expect(code.height / code.width).toBeCloseTo(ratio);
          expect(caption !== null).toBe(hasCaption);
          if (!caption) continue;
          expect(isWithin(caption, place)).toBe(true);
          expect(overlaps(caption, code)).toBe(false);
          expect(Math.min(caption.width, caption.height)).toBeGreaterThan(6);
        }
      }
    }
  },
);

test('a layout is named after the contents of its page', () => {
  for (const name of LABEL_LAYOUTS) {
    expect(name).toMatch(new RegExp(`-${describeLabels(name).count}$`));
    expect(layOut(name, false).places).toHaveLength(describeLabels(name).count);
  }
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const ROUNDING = 1e-6;

function isWithin(inner: Box, outer: Box): boolean {
  const fits = (from: number, length: number, start: number, room: number) =>
    from >= start - ROUNDING && from + length <= start + room + ROUNDING;
  return (
    fits(inner.x, inner.width, outer.x, outer.width) && fits(inner.y, inner.height, outer.y, outer.height)
  );
}

function overlaps(one: Box, other: Box): boolean {
  const meet = (a: number, aLength: number, b: number, bLength: number) =>
    a < b + bLength - ROUNDING && b < a + aLength - ROUNDING;
  return meet(one.x, one.width, other.x, other.width) && meet(one.y, one.height, other.y, other.height);
}
