import type { ModuleShape } from '#contract/style-rules';
import { squaresPath } from './code-image';
import { short } from './outlines';

// Decoders that average what they see lose codes in thinner marks: of 120 pictures between 120 and 400 px, jsQR reads
// all with dots of 0.98, 99 with 0.96 and 68 with 0.9; all with bars of 0.9, and 107 with 0.85.
const DOT = 0.98;
const BAR = 0.9;
/** Light beside a bar. */
const SIDE = (1 - BAR) / 2;
/** Of the corners of joined ink, outside and in the bends. */
const OUTER = 0.5;
const INNER = 0.3;

const SHAPES: Record<ModuleShape, (modules: Uint8Array, size: number) => string> = {
  square: squaresPath,
  rounded: inkPath,
  dots: dotsPath,
  'bars-vertical': columnsPath,
  'bars-horizontal': rowsPath,
};

/** SVG path of the dark modules in a shape, one unit a module, filled by the non-zero rule. */
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

const STRAIGHTS: string[] = [];
/** The straight part of a bar of so many modules. */
function straightOf(length: number): string {
  STRAIGHTS[length] ??= short(length - BAR);
  return STRAIGHTS[length] ?? '';
}

const ROUND = short(BAR / 2);

function rowsPath(modules: Uint8Array, size: number): string {
  const [end, back] = [BAR, -BAR].map((down) => `a${ROUND} ${ROUND} 0 0 1 0 ${short(down)}`);
  return runsPath(modules, size, false, (row, x, length) => {
    const straight = straightOf(length);
    return `M${short(x + BAR / 2)} ${short(row + SIDE)}h${straight}${end}h-${straight}${back}z`;
  });
}

function columnsPath(modules: Uint8Array, size: number): string {
  const [end, back] = [-BAR, BAR].map((right) => `a${ROUND} ${ROUND} 0 0 1 ${short(right)} 0`);
  return runsPath(modules, size, true, (column, y, length) => {
    const straight = straightOf(length);
    return `M${short(column + 1 - SIDE)} ${short(y + BAR / 2)}v${straight}${end}v-${straight}${back}z`;
  });
}

const [ACROSS, RADIUS] = [short(DOT), short(DOT / 2)];
const CIRCLE = `a${RADIUS} ${RADIUS} 0 0 1 ${ACROSS} 0a${RADIUS} ${RADIUS} 0 0 1 -${ACROSS} 0z`;

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

/** East, south, west, north: the dark module is always on the right hand. */
const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;
type Heading = 0 | 1 | 2 | 3;

/** Outlines of what is dark together; modules that touch at a corner alone stay apart. */
function inkPath(modules: Uint8Array, size: number): string {
  const seen = new Uint8Array(size * size);
  let path = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = y * size + x;
      // Every outline has an edge with light above it, and the first that is met begins at a corner.
      if (modules[at] === 1 && modules[at - size] !== 1 && seen[at] === 0) {
        path += outlineFrom(x, y, modules, size, seen);
      }
    }
  }
  return path;
}

/** One outline, clockwise around what is dark and counter-clockwise around what is light inside it. */
function outlineFrom(
  startX: number,
  startY: number,
  modules: Uint8Array,
  size: number,
  seen: Uint8Array,
): string {
  // The quiet zone is light: a place beyond the edge is never asked for.
  const isDark = (column: number, row: number) => modules[row * size + column] === 1;
  let [x, y, radius] = [startX, startY, isDark(startX - 1, startY) ? INNER : OUTER];
  let heading: Heading = 0;
  let path = `M${short(x + radius)} ${y}`;
  do {
    const [right, down] = STEPS[heading];
    let length = 0;
    let isOpen: boolean;
    let isBlocked: boolean;
    do {
      if (heading === 0) seen[y * size + x] = 1;
      x += right;
      y += down;
      length += 1;
      // Of the modules around the corner ahead: the one on the right hand, and the one on the left.
      isOpen = !isDark(x - (right < 0 || down > 0 ? 1 : 0), y - (right < 0 || down < 0 ? 1 : 0));
      isBlocked = isDark(x - (right < 0 || down < 0 ? 1 : 0), y - (right > 0 || down < 0 ? 1 : 0));
    } while (!isOpen && !isBlocked);
    const next = ((heading + (isOpen ? 1 : 3)) % 4) as Heading;
    const nextRadius = isOpen ? OUTER : INNER;
    const straight = length - radius - nextRadius;
    if (straight > 0.001) path += (down === 0 ? 'h' : 'v') + short(straight * (right + down));
    path += BENDS[isOpen ? 0 : 1][heading];
    radius = nextRadius;
    heading = next;
  } while (x !== startX || y !== startY || heading !== 0);
  return `${path}z`;
}

/** The bends to the right, and those to the left, by the heading before. */
const BENDS = [
  STEPS.map((_, heading) => bend(heading, 1)),
  STEPS.map((_, heading) => bend(heading, 3)),
] as const;

function bend(heading: number, turn: 1 | 3): string {
  const radius = turn === 1 ? OUTER : INNER;
  const [right = 0, down = 0] = STEPS[heading] ?? [];
  const [nextRight = 0, nextDown = 0] = STEPS[(heading + turn) % 4] ?? [];
  const [cornerX, cornerY] = [radius * right, radius * down].map(short);
  return `q${cornerX} ${cornerY} ${short(radius * (right + nextRight))} ${short(radius * (down + nextDown))}`;
}
