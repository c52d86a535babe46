import type { CornerShape } from '#contract/style-rules';
import { holePath, type Radii, rectanglePath } from './outlines';

/** Modules per side of a finder pattern; its ring is one module wide, its centre three. */
export const CORNER = 7;
const RING = CORNER / 2;
const HOLE = 2.5;
const CENTRE = 1.5;

interface Place {
  x: number;
  y: number;
  isRight: boolean;
  isBottom: boolean;
}

/** Corner radii: at the two corners on the diagonal through the symbol's corner, and at the other two. */
type Pair = readonly [number, number];

const RING_RADII: Record<CornerShape, Pair> = {
  square: [0, 0],
  rounded: [2.25, 2.25],
  circle: [RING, RING],
  // From 2.6 on, zxing mistakes the ring in a large picture for a slanted one.
  leaf: [0, 2.3],
};
const CENTRE_RADII: Record<CornerShape, Pair> = {
  square: [0, 0],
  rounded: [0.96, 0.96],
  circle: [CENTRE, CENTRE],
  leaf: [0.3, 1],
};

// Decoders look for a 1:1:3:1:1 ratio across every finder pattern, jsQR along the diagonals too, where a round ring
// around a square centre breaks it. So that any ring works with any centre, each takes on a little of the other's
// shape, the centre a little of its size, and the light gap between them lies equally far from both.
const RING_LEANS = 0.15;
const CENTRE_LEANS = 0.2;
const MAX_GROWTH = 0.15;

/** Rings and centres of the same shape keep the ratio exactly. */
export function cornerPaths(ring: CornerShape, centre: CornerShape, place: Place): string {
  const { x, y } = place;
  const [ringRadii, centreRadii] = [RING_RADII[ring], CENTRE_RADII[centre]];
  const outside = both((at) => mix(ringRadii[at], (centreRadii[at] * RING) / CENTRE, RING_LEANS));
  const rough = both((at) => mix(centreRadii[at], (ringRadii[at] * CENTRE) / RING, CENTRE_LEANS));
  const lacking = both((at) => (reach(RING, outside[at]) * CENTRE) / RING - reach(CENTRE, rough[at]));
  const half = CENTRE + clamp((lacking[0] + lacking[1]) / 6, -MAX_GROWTH, MAX_GROWTH);
  const inner = both((at) => clamp((rough[at] * half) / CENTRE, 0, half));
  const inside = both((at) => radiusFor(HOLE, (reach(RING, outside[at]) + reach(half, inner[at])) / 2));
  const at = CORNER / 2 - half;
  return [
    rectanglePath({ x, y, width: CORNER, height: CORNER }, around(outside, place)),
    holePath({ x: x + 1, y: y + 1, width: 2 * HOLE, height: 2 * HOLE }, around(inside, place)),
    rectanglePath({ x: x + at, y: y + at, width: 2 * half, height: 2 * half }, around(inner, place)),
  ].join('');
}

function both(radius: (at: 0 | 1) => number): Pair {
  return [radius(0), radius(1)];
}

/** A leaf points towards its own corner of the symbol and away from it. */
function around([along, across]: Pair, { isRight, isBottom }: Place): Radii {
  return isRight === isBottom ? [along, across, along, across] : [across, along, across, along];
}

/** Distance from the middle of a square to its edge along the diagonal. */
function reach(half: number, radius: number): number {
  return half * Math.SQRT2 - radius * (Math.SQRT2 - 1);
}

/** The radius that gives a square that reach. */
function radiusFor(half: number, wanted: number): number {
  return clamp((half * Math.SQRT2 - wanted) / (Math.SQRT2 - 1), 0, half);
}

function mix(one: number, other: number, share: number): number {
  return one + share * (other - one);
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
