/** Modules of a symbol row by row, 1 = dark, and 1 where no mask may change them. */
export interface SymbolModules {
  size: number;
  data: Uint8Array;
  reservedBit: Uint8Array;
}

/** Format information of level H by mask (ISO/IEC 18004, annex C). */
const FORMATS_H = [0x1689, 0x13be, 0x1ce7, 0x19d0, 0x0762, 0x0255, 0x0d0c, 0x083b];
/** All masks repeat after twelve rows and twelve columns. */
const PERIOD = 12;
const TILE = tile();

/** Bit m of each entry tells whether mask m inverts the module (ISO/IEC 18004, 7.8.2). */
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

/**
 * Gives a symbol of level H, drawn with mask 0, the mask of the lowest penalty. The drawing library finds the same
 * one, in ten times the time: too long for every key that is pressed.
 */
export function applyBestMask({ size, data, reservedBit }: SymbolModules): void {
  let best = data;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [mask, format] of FORMATS_H.entries()) {
    const masked = new Uint8Array(data);
    // Mask 0 is taken off with the same stroke.
    if (mask > 0) invert(masked, reservedBit, size, 1 | (1 << mask));
    writeFormat(masked, size, format);
    const penalty = penaltyOf(masked, size, lowest);
    if (penalty < lowest) {
      lowest = penalty;
      best = masked;
    }
  }
  data.set(best);
}

/** Inverts what exactly one of the two masks in `pair` inverts. */
function invert(modules: Uint8Array, reserved: Uint8Array, size: number, pair: number): void {
  for (let row = 0, at = 0; row < size; row++) {
    const line = (row % PERIOD) * PERIOD;
    for (let column = 0; column < size; column++, at++) {
      const found = (TILE[line + (column % PERIOD)] ?? 0) & pair;
      if (found !== 0 && found !== pair && reserved[at] === 0) modules[at] = (modules[at] ?? 0) ^ 1;
    }
  }
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

/** Penalty points of ISO/IEC 18004, 7.8.3; no more than `limit` of them are counted to the end. */
function penaltyOf(modules: Uint8Array, size: number, limit: number): number {
  const columnRuns = new Uint8Array(size);
  const columnBits = new Uint16Array(size);
  let points = 0;
  let darkCount = 0;
  for (let row = 0, at = 0; row < size; row++) {
    let run = 0;
    let bits = 0;
    for (let column = 0; column < size; column++, at++) {
      const module = modules[at] ?? 0;
      const left = column > 0 ? modules[at - 1] : -1;
      const above = row > 0 ? modules[at - size] : -1;
      darkCount += module;
      run = module === left ? run + 1 : 1;
      if (run >= 5) points += run === 5 ? 3 : 1;
      const columnRun = module === above ? (columnRuns[column] ?? 0) + 1 : 1;
      columnRuns[column] = columnRun;
      if (columnRun >= 5) points += columnRun === 5 ? 3 : 1;
      if (module === left && module === above && module === modules[at - size - 1]) points += 3;
      bits = ((bits << 1) & 0x7ff) | module;
      if (column >= 10 && isLikeFinder(bits)) points += 40;
      const downBits = (((columnBits[column] ?? 0) << 1) & 0x7ff) | module;
      columnBits[column] = downBits;
      if (row >= 10 && isLikeFinder(downBits)) points += 40;
    }
    if (points >= limit) return points;
  }
  return points + 10 * Math.abs(Math.ceil((darkCount * 100) / modules.length / 5) - 10);
}

/** Dark and light as 1:1:3:1:1 with four light ones before or after. */
function isLikeFinder(bits: number): boolean {
  return bits === 0x5d0 || bits === 0x05d;
}
