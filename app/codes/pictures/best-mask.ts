/** `data`: modules row by row, 1 = dark; `reserved`: 1 for modules that no mask may change. */
export interface SymbolModules {
  size: number;
  data: Uint8Array;
  reserved: Uint8Array;
}

/** Format information of level H by mask (ISO/IEC 18004, annex C). */
const FORMATS_H = [0x1689, 0x13be, 0x1ce7, 0x19d0, 0x0762, 0x0255, 0x0d0c, 0x083b];
/** All masks repeat every twelve rows and columns. */
const PERIOD = 12;
const TILE = tile();

/** Bit m of each entry is set if mask m inverts the module (ISO/IEC 18004, 7.8.2). */
function tile(): Uint8Array {
  const bits = new Uint8Array(PERIOD * PERIOD);
  for (let i = 0; i < PERIOD; i++) {
    for (let j = 0; j < PERIOD; j++) {
      const remainders = [
        (i + j) % 2,
        i % 2,
        j % 3,
        (i + j) % 3,
        (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
        ((i * j) % 2) + ((i * j) % 3),
        (((i * j) % 2) + ((i * j) % 3)) % 2,
        (((i * j) % 3) + ((i + j) % 2)) % 2,
      ];
      bits[i * PERIOD + j] = remainders.reduce((sum, rest, mask) => sum | (rest === 0 ? 1 << mask : 0), 0);
    }
  }
  return bits;
}

/** The modules of a level H symbol with a mask and its format information. */
export function withMask({ size, data, reserved }: SymbolModules, mask: number): Uint8Array {
  const masked = new Uint8Array(data);
  for (let row = 0, at = 0; row < size; row++) {
    const line = (row % PERIOD) * PERIOD;
    for (let column = 0; column < size; column++, at++) {
      const isInverted = ((TILE[line + (column % PERIOD)] ?? 0) >> mask) & 1;
      if (isInverted && reserved[at] === 0) masked[at] = (masked[at] ?? 0) ^ 1;
    }
  }
  writeFormat(masked, size, FORMATS_H[mask] ?? 0);
  return masked;
}

/** The modules with the mask that has the lowest penalty. */
export function withBestMask(symbol: SymbolModules): Uint8Array {
  let best = symbol.data;
  let lowest = Number.POSITIVE_INFINITY;
  for (const mask of FORMATS_H.keys()) {
    const masked = withMask(symbol, mask);
    const penalty = penaltyOf(masked, symbol.size, lowest);
    if (penalty < lowest) {
      lowest = penalty;
      best = masked;
    }
  }
  return best;
}

/** Both copies of the fifteen bits (ISO/IEC 18004, 7.9.1). */
function writeFormat(modules: Uint8Array, size: number, format: number): void {
  for (let bit = 0; bit < 15; bit++) {
    const value = (format >> bit) & 1;
    const row = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    const column = bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit;
    modules[row * size + 8] = value;
    modules[8 * size + column] = value;
  }
}

/** Number of modules that a penalty rule looks back on, including the newest. */
const WINDOW = 11;
const WINDOW_BITS = (1 << WINDOW) - 1;
const POINTS = points();

/**
 * Penalty points of the newest module in a line for runs of one colour and for finder-like patterns, indexed by the
 * preceding modules as bits; with one more bit when all of them are inside the symbol.
 */
function points(): Uint8Array {
  const table = new Uint8Array(2 << WINDOW);
  for (let window = 0; window <= WINDOW_BITS; window++) {
    const lastSix = window & 0x3f;
    const runs = lastSix === 0 || lastSix === 0x3f ? 1 : lastSix === 0x20 || lastSix === 0x1f ? 3 : 0;
    // Dark and light as 1:1:3:1:1 with four light ones before or after.
    const finder = window === 0x5d0 || window === 0x05d ? 40 : 0;
    table[window] = runs;
    table[(1 << WINDOW) | window] = runs + finder;
  }
  return table;
}

/** Penalty points of ISO/IEC 18004, 7.8.3; counting stops early beyond `limit`. */
function penaltyOf(modules: Uint8Array, size: number, limit: number): number {
  // Beyond an edge everything counts as the other colour, which ends any run.
  const beyond = (module: number | undefined) => (module === 1 ? 0 : WINDOW_BITS);
  const down = Uint16Array.from({ length: size }, (_, column) => beyond(modules[column]));
  /** The windows of the row above. */
  const above = new Uint16Array(size).fill(1);
  let sum = 0;
  let darkCount = 0;
  for (let row = 0, at = 0; row < size; row++) {
    const isWholeDown = row < WINDOW - 1 ? 0 : 1 << WINDOW;
    let window = beyond(modules[at]);
    for (let column = 0; column < size; column++, at++) {
      const module = modules[at] ?? 0;
      darkCount += module;
      window = ((window << 1) & WINDOW_BITS) | module;
      const downWindow = (((down[column] ?? 0) << 1) & WINDOW_BITS) | module;
      const isWhole = column < WINDOW - 1 ? 0 : 1 << WINDOW;
      sum += (POINTS[isWhole | window] ?? 0) + (POINTS[isWholeDown | downWindow] ?? 0);
      const square = ((window & 3) << 2) | ((above[column] ?? 0) & 3);
      if (square === 0 || square === 15) sum += 3;
      down[column] = downWindow;
      above[column] = window;
    }
    if (sum >= limit) return sum;
  }
  return sum + 10 * Math.abs(Math.ceil((darkCount * 100) / modules.length / 5) - 10);
}
