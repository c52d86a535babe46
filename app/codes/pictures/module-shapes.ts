import type { ModuleShape } from '#contract/style-rules';
import { squaresPath } from './code-image';
import { short } from './outlines';

// Decoders that average neighbouring pixels fail on thinner marks: of 120 pictures between 120 and 400 px, jsQR reads
// all with dots of 0.98, 99 with 0.96 and 68 with 0.9; all with bars of 0.9, and 107 with 0.85.
const DOT = 0.98;
const BAR = 0.9;
/** Gap on each side of a bar. */
const SIDE = (1 - BAR) / 2;
/**
 * Length of the control arms of one cubic curve that draws a semicircle, relative to the radius. Two of them make a circle
 * to within 1.5 % of the radius. Browsers turn an arc of a semicircle into two curves, and finding the bounds of all curves
 * is most of the time that a picture of dots takes them on each key.
 */
const ARM = 1.314;
/** Radii of joined modules: outer corners, and inner ones. */
const OUTER = 0.5;
const INNER = 0.3;

const SHAPES: Record<ModuleShape, (modules: Uint8Array, size: number) => string> = {
  square: squaresPath,
  rounded: inkPath,
  dots: dotsPath,
  'bars-vertical': columnsPath,
  'bars-horizontal': rowsPath,
};

/** SVG path of the dark modules in a shape, one unit per module, filled with the non-zero rule. */
export function modulesPath(shape: ModuleShape, modules: Uint8Array, size: number): string {
  return SHAPES[shape](modules, size);
}

type Run = (line: number, start: number, length: number) => string;

/** A path for every run of dark modules along the rows, or down the columns. */
function runsPath(modules: Uint8Array, size: number, isDown: boolean, run: Run): string {
  const [along, across] = isDown ? [size, 1] : [1, size];
  let path = '';
  for (let line = 0; line < size; line++) {
    let start = -1;
    for (let place = 0; place <= size; place++) {
      const isDark = place < size && modules[line * across + place * along] === 1;
      if (isDark && start < 0) start = place;
      if (!isDark && start >= 0) {
        path += run(line, start, place - start);
        start = -1;
      }
    }
  }
  return path;
}

const ARM_OF_BAR = short((ARM * BAR) / 2);

function rowsPath(modules: Uint8Array, size: number): string {
  const starts = placesOf(size, BAR / 2);
  const lines = placesOf(size, SIDE);
  const end = `c${ARM_OF_BAR} 0 ${ARM_OF_BAR} ${short(BAR)} 0 ${short(BAR)}`;
  const back = `c-${ARM_OF_BAR} 0-${ARM_OF_BAR}-${short(BAR)} 0-${short(BAR)}`;
  const bars = straightsOf(size).map((straight) => `h${straight}${end}h-${straight}${back}z`);
  return runsPath(modules, size, false, (row, x, length) => `M${starts[x]} ${lines[row]}${bars[length]}`);
}

function columnsPath(modules: Uint8Array, size: number): string {
  const starts = placesOf(size, BAR / 2);
  const lines = placesOf(size, 1 - SIDE);
  const end = `c0 ${ARM_OF_BAR}-${short(BAR)} ${ARM_OF_BAR}-${short(BAR)} 0`;
  const back = `c0-${ARM_OF_BAR} ${short(BAR)}-${ARM_OF_BAR} ${short(BAR)} 0`;
  const bars = straightsOf(size).map((straight) => `v${straight}${end}v-${straight}${back}z`);
  return runsPath(
    modules,
    size,
    true,
    (column, y, length) => `M${lines[column]} ${starts[y]}${bars[length]}`,
  );
}

/** Positions in modules, each offset by `moved`. */
function placesOf(size: number, moved: number): string[] {
  return Array.from({ length: size }, (_, place) => short(place + moved));
}

/** The straight part of a bar, by its length in modules. */
function straightsOf(size: number): string[] {
  return Array.from({ length: size + 1 }, (_, length) => short(length - BAR));
}

const [ACROSS, ARM_OF_DOT] = [short(DOT), short((ARM * DOT) / 2)];
const CIRCLE = `c0-${ARM_OF_DOT} ${ACROSS}-${ARM_OF_DOT} ${ACROSS} 0s-${ACROSS} ${ARM_OF_DOT}-${ACROSS} 0z`;

function dotsPath(modules: Uint8Array, size: number): string {
  let path = '';
  for (let row = 0, at = 0; row < size; row++) {
    let last = -1;
    for (let column = 0; column < size; column++, at++) {
      if (modules[at] !== 1) continue;
      path +=
        last < 0 ? `M${short(column + (1 - DOT) / 2)} ${row}.5${CIRCLE}` : `m${column - last} 0${CIRCLE}`;
      last = column;
    }
  }
  return path;
}

/** East, south, west, north: the dark module is always on the right. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/** Outlines of connected dark modules; modules that touch only at a corner stay separate. */
function inkPath(modules: Uint8Array, size: number): string {
  const seen = new Uint8Array(size * size);
  let path = '';
  // The quiet zone is light, so no outline begins in the first row and no index goes beyond an edge.
  for (let at = size; at < modules.length; at++) {
    // Every outline has an edge with light above it, and the first one found begins at a corner.
    if (modules[at] === 1 && modules[at - size] !== 1 && seen[at] === 0) {
      path += outlineFrom(at, modules, size, seen);
    }
  }
  return path;
}

/** One outline, clockwise around a dark area and counter-clockwise around a light one inside it. */
function outlineFrom(start: number, modules: Uint8Array, size: number, seen: Uint8Array): string {
  // Index offsets from the module south-east of a grid corner to the others around it.
  const [northWest, northEast, southWest] = [-size - 1, -size, -1];
  const ahead = [1, size, -1, -size];
  // The modules at the corner ahead: the one on the right, and the one on the left.
  const onRight = [0, southWest, northWest, northEast];
  const onLeft = [northEast, 0, southWest, northWest];
  const isAfterBend = modules[start - 1] === 1 ? 1 : 0;
  let [at, heading, wasInner] = [start, 0, isAfterBend];
  const begin = (start % size) + (isAfterBend ? INNER : OUTER);
  let path = `M${short(begin)} ${Math.floor(start / size)}`;
  do {
    const [step = 0, right = 0, left = 0] = [ahead[heading], onRight[heading], onLeft[heading]];
    let length = 0;
    let isOpen: boolean;
    let isBlocked: boolean;
    do {
      if (heading === 0) seen[at] = 1;
      at += step;
      length += 1;
      isOpen = modules[at + right] !== 1;
      isBlocked = modules[at + left] === 1;
    } while (!isOpen && !isBlocked);
    const isInner = isOpen ? 0 : 1;
    path += edge(heading, wasInner, isInner, length);
    wasInner = isInner;
    heading = (heading + (isOpen ? 1 : 3)) % 4;
  } while (at !== start || heading !== 0);
  return `${path}z`;
}

const EDGES: string[] = [];

/** A straight edge of `length` modules between two corners of the outline, and the bend at its end. */
function edge(heading: number, wasInner: number, isInner: number, length: number): string {
  const key = ((length * 2 + wasInner) * 2 + isInner) * 4 + heading;
  const known = EDGES[key];
  if (known !== undefined) return known;
  const radius = isInner ? INNER : OUTER;
  const straight = length - (wasInner ? INNER : OUTER) - radius;
  const [right = 0, down = 0] = STEPS[heading] ?? [];
  const [nextRight = 0, nextDown = 0] = STEPS[(heading + (isInner ? 3 : 1)) % 4] ?? [];
  const [cornerX, cornerY] = [radius * right, radius * down].map(short);
  const line = straight > 0.001 ? (down === 0 ? 'h' : 'v') + short(straight * (right + down)) : '';
  const bend = `q${cornerX} ${cornerY} ${short(radius * (right + nextRight))} ${short(radius * (down + nextDown))}`;
  EDGES[key] = line + bend;
  return line + bend;
}
