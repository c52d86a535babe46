import type { SymbolModules } from './best-mask';
import type { Codewords } from './codewords';

/** Row and column of the timing patterns, and of the format information at the upper left. */
const TIMING = 6;
const FORMAT = 8;
/** From the centre outwards: whether the squares are dark. A finder pattern ends with its light edge. */
const FINDER = [true, true, false, true, false];
const ALIGNMENT = [true, false, true];
/** Generator of the code that protects the version (annex D). */
const VERSION_GENERATOR = 0x1f25;

/** The modules of a symbol before any mask, without format information (ISO/IEC 18004, 7.7.3 and 7.10). */
export function placeCodewords({ version, bytes }: Codewords): SymbolModules {
  const symbol = functionPatterns(version);
  const { size, data, reserved } = symbol;
  let bit = 0;
  // Pairs of columns from right to left, upwards and downwards in turn; the vertical timing pattern is skipped.
  for (let pair = 0; 2 * pair < size - 1; pair++) {
    const right = size - 1 - 2 * pair;
    const column = right <= TIMING ? right - 1 : right;
    for (let step = 0; step < size; step++) {
      const row = pair % 2 === 0 ? size - 1 - step : step;
      for (const at of [row * size + column, row * size + column - 1]) {
        if (reserved[at] === 1) continue;
        data[at] = ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
        bit++;
      }
    }
  }
  return symbol;
}

/** Everything but data, with room for the format information. */
function functionPatterns(version: number): SymbolModules {
  const size = 17 + 4 * version;
  const [data, reserved] = [new Uint8Array(size * size), new Uint8Array(size * size)];
  const set = (row: number, column: number, value: number) => {
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    data[row * size + column] = value;
    reserved[row * size + column] = 1;
  };
  const setSquares = (row: number, column: number, isDark: readonly boolean[]) => {
    const reach = isDark.length - 1;
    for (let down = -reach; down <= reach; down++) {
      for (let right = -reach; right <= reach; right++) {
        set(row + down, column + right, isDark[Math.max(Math.abs(down), Math.abs(right))] ? 1 : 0);
      }
    }
  };
  for (let along = 0; along < size; along++) {
    const isBesideFinder = along <= FORMAT || along >= size - FORMAT;
    if (isBesideFinder) {
      set(FORMAT, along, 0);
      set(along, FORMAT, 0);
    }
    set(TIMING, along, (along + 1) % 2);
    set(along, TIMING, (along + 1) % 2);
  }
  // Dark in every symbol.
  set(size - FORMAT, FORMAT, 1);
  const finders = [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const;
  for (const [row, column] of finders) setSquares(row, column, FINDER);
  const centres = alignmentCentres(version);
  for (const row of centres) {
    for (const column of centres) {
      const isInFinder = finders.some(([y, x]) => Math.max(Math.abs(row - y), Math.abs(column - x)) <= 3);
      if (!isInFinder) setSquares(row, column, ALIGNMENT);
    }
  }
  if (version >= 7) {
    const bits = versionBits(version);
    for (let bit = 0; bit < 18; bit++) {
      const [short, long] = [Math.floor(bit / 3), size - 11 + (bit % 3)];
      set(short, long, (bits >> bit) & 1);
      set(long, short, (bits >> bit) & 1);
    }
  }
  return { size, data, reserved };
}

/** Rows and columns of the alignment patterns' centres (annex E). */
function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const intervals = Math.floor(version / 7) + 1;
  const last = 10 + 4 * version;
  const step = version === 32 ? 26 : 2 * Math.ceil((last - TIMING) / (2 * intervals));
  return [TIMING, ...Array.from({ length: intervals }, (_, n) => last - step * (intervals - 1 - n))];
}

function versionBits(version: number): number {
  let rest = version << 12;
  for (let bit = 17; bit >= 12; bit--) {
    if ((rest >> bit) & 1) rest ^= VERSION_GENERATOR << (bit - 12);
  }
  return (version << 12) | rest;
}
