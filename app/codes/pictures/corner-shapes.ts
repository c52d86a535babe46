import type { CornerShape } from '#contract/style-rules';
import { holePath, type Radii, rectanglePath } from './outlines';

/** Modules along one side of a corner of the symbol; its ring is one module wide, what is inside it three. */
export const CORNER = 7;

interface Place {
  x: number;
  y: number;
  isRight: boolean;
  isBottom: boolean;
}

/** Every corner keeps its rhythm of 1:1:3:1:1 through the middle, by which decoders find it. */
export function cornerPaths(ring: CornerShape, centre: CornerShape, place: Place): string {
  const { x, y } = place;
  const outside = radii(ring, ring === 'rounded' ? 2.25 : ring === 'leaf' ? 3 : 3.5, place);
  const inside = outside.map((radius) => Math.max(0, radius - 1)) as unknown as Radii;
  const inner = radii(centre, centre === 'rounded' ? 0.9 : centre === 'leaf' ? 1.2 : 1.5, place);
  return [
    rectanglePath({ x, y, width: CORNER, height: CORNER }, outside),
    holePath({ x: x + 1, y: y + 1, width: CORNER - 2, height: CORNER - 2 }, inside),
    rectanglePath({ x: x + 2, y: y + 2, width: 3, height: 3 }, inner),
  ].join('');
}

/** A leaf is pointed towards its own corner of the symbol and away from it. */
function radii(shape: CornerShape, radius: number, { isRight, isBottom }: Place): Radii {
  if (shape === 'square') return [0, 0, 0, 0];
  if (shape !== 'leaf') return [radius, radius, radius, radius];
  return isRight === isBottom ? [0, radius, 0, radius] : [radius, 0, radius, 0];
}
