// The codewords of a symbol at error correction level H, by ISO/IEC 18004, 7.4 to 7.6.

/** By version, from 1 (tables 7 and 9): data codewords, blocks, and correction codewords of each block. */
const DATA_CODEWORDS = numbersIn(
  '9 16 26 36 46 60 66 86 100 122 140 158 180 197 223 253 283 313 341 385 406 442 464 514 538 596 628 661 701 745 ' +
    '793 845 901 961 986 1054 1096 1142 1222 1276',
);
const BLOCKS = numbersIn(
  '1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25 25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81',
);
const CORRECTION_CODEWORDS = numbersIn(
  '17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28 30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 ' +
    '30 30 30',
);
/** The last versions of the three ranges in which character counts have the same length (table 3). */
const RANGES = [9, 26, 40];

/** `countBits`: length of the character count in each range. */
const MODES = [
  { name: 'bytes', indicator: 0b0100, countBits: [8, 16, 16] },
  { name: 'alphanumeric', indicator: 0b0010, countBits: [9, 11, 13] },
  { name: 'numeric', indicator: 0b0001, countBits: [10, 12, 14] },
] as const;
type Mode = (typeof MODES)[number];

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';
const ECI = 0b0111;
/** Number of UTF-8 among the encodings that an ECI names. */
const UTF_8 = 26;

export interface Codewords {
  version: number;
  bytes: Uint8Array;
}

/** Whether a text has letters whose bytes mean something else in another encoding. */
export function isBeyondAscii(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

/** The smallest symbol for a text, of `minVersion` at least; null if not even the largest holds it. */
export function encode(text: string, minVersion: number): Codewords | null {
  const fitting = fitText(text, minVersion);
  return fitting && { version: fitting.version, bytes: withCorrection(fitting.bits, fitting.version - 1) };
}

/** The version of that symbol. */
export function versionOf(text: string, minVersion: number): number | null {
  return fitText(text, minVersion)?.version ?? null;
}

function fitText(text: string, minVersion: number): { version: number; bits: number[] } | null {
  if (leastBits(text) > 8 * (DATA_CODEWORDS.at(-1) ?? 0)) return null;
  for (const [range, last] of RANGES.entries()) {
    if (minVersion > last) continue;
    const bits = bitsOf(text, range);
    const least = Math.max(minVersion, (RANGES[range - 1] ?? 0) + 1);
    const version =
      1 + DATA_CODEWORDS.findIndex((count, index) => index + 1 >= least && 8 * count >= bits.length);
    if (version > 0 && version <= last) return { version, bits };
  }
  return null;
}

/** What its characters take if each is in its densest mode: found out much faster than the best division. */
function leastBits(text: string): number {
  let sixths = 0;
  for (const character of text) sixths += Math.min(...costsOf(character));
  return sixths / 6;
}

function numbersIn(list: string): number[] {
  return list.split(' ').map(Number);
}

function bitsOf(text: string, range: number): number[] {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  if (isBeyondAscii(text)) {
    put(ECI, 4);
    put(UTF_8, 8);
  }
  for (const { mode, characters } of segmentsOf(text, range)) {
    const bytes = mode.name === 'bytes' ? new TextEncoder().encode(characters) : undefined;
    put(mode.indicator, 4);
    put(bytes?.length ?? characters.length, mode.countBits[range] ?? 0);
    if (bytes) for (const byte of bytes) put(byte, 8);
    else if (mode.name === 'numeric') {
      for (const digits of characters.match(/.{1,3}/g) ?? []) put(Number(digits), 3 * digits.length + 1);
    } else {
      for (const pair of characters.match(/.{1,2}/g) ?? []) {
        const value = Array.from(pair).reduce((sum, one) => 45 * sum + ALPHANUMERIC.indexOf(one), 0);
        put(value, pair.length === 2 ? 11 : 6);
      }
    }
  }
  return bits;
}

interface Segment {
  mode: Mode;
  characters: string;
}

/** The division into modes that takes the fewest bits. */
function segmentsOf(text: string, range: number): Segment[] {
  const heads = MODES.map(({ countBits }) => 6 * (4 + (countBits[range] ?? 0)));
  /** For each mode, the lowest cost of all characters so far if the last of them is in it, in sixths of a bit. */
  let costs = heads;
  /** For each character and its mode, the mode of the character before it. */
  const modesBefore: number[][] = [];
  const characters = Array.from(text);
  for (const character of characters) {
    const own = costsOf(character);
    const steps = heads.map((head, mode) =>
      costs.map((cost, before) => (before === mode ? cost : wholeBits(cost) + head)),
    );
    modesBefore.push(steps.map(lowest));
    costs = steps.map((step, mode) => Math.min(...step) + (own[mode] ?? 0));
  }
  const segments: Segment[] = [];
  let last = lowest(costs.map(wholeBits));
  for (const [index, character] of [...characters.entries()].reverse()) {
    const mode = MODES[last];
    const [segment] = segments;
    if (segment && segment.mode === mode) segment.characters = character + segment.characters;
    else if (mode) segments.unshift({ mode, characters: character });
    last = modesBefore[index]?.[last] ?? 0;
  }
  return segments;
}

/** Sixths of a bit that a character takes in each mode. */
function costsOf(character: string): number[] {
  const code = character.codePointAt(0) ?? 0;
  const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  const isDigit = code >= 0x30 && code <= 0x39;
  return [
    48 * bytes,
    ALPHANUMERIC.includes(character) ? 33 : Number.POSITIVE_INFINITY,
    isDigit ? 20 : Number.POSITIVE_INFINITY,
  ];
}

function wholeBits(sixths: number): number {
  return 6 * Math.ceil(sixths / 6);
}

/** Of equal costs that of the denser mode. */
function lowest(costs: number[]): number {
  return costs.lastIndexOf(Math.min(...costs));
}

/** The bits padded to the capacity of a version, with correction codewords, and all blocks interleaved. */
function withCorrection(bits: number[], index: number): Uint8Array {
  const data = padded(bits, DATA_CODEWORDS[index] ?? 0);
  const count = BLOCKS[index] ?? 0;
  const correctionLength = CORRECTION_CODEWORDS[index] ?? 0;
  const shorter = count - (data.length % count);
  const shortLength = Math.floor(data.length / count);
  const blocks = Array.from({ length: count }, (_, block) => {
    const start = block * shortLength + Math.max(0, block - shorter);
    return data.subarray(start, start + shortLength + (block < shorter ? 0 : 1));
  });
  const divisor = generatorOf(correctionLength);
  const corrections = blocks.map((block) => remainderOf(block, divisor));
  const codewords = new Uint8Array(data.length + count * correctionLength);
  let end = 0;
  for (const parts of [blocks, corrections]) {
    const longest = Math.max(...parts.map(({ length }) => length));
    for (let at = 0; at < longest; at++) {
      for (const part of parts) if (at < part.length) codewords[end++] = part[at] ?? 0;
    }
  }
  return codewords;
}

function padded(bits: number[], length: number): Uint8Array {
  const data = new Uint8Array(length);
  for (const [at, bit] of bits.entries()) data[at >> 3] = (data[at >> 3] ?? 0) | (bit << (7 - (at & 7)));
  // After a terminator of four zeros, or as many as there is room for.
  const used = Math.ceil((bits.length + 4) / 8);
  for (let at = used; at < length; at++) data[at] = (at - used) % 2 === 0 ? 0xec : 0x11;
  return data;
}

/** Powers of two in the field of 256 elements, modulo x⁸ + x⁴ + x³ + x² + 1, and their exponents. */
const POWERS = new Uint8Array(255);
const EXPONENTS = new Uint8Array(256);
for (let exponent = 0, power = 1; exponent < 255; exponent++) {
  POWERS[exponent] = power;
  EXPONENTS[power] = exponent;
  power = power < 0x80 ? 2 * power : (2 * power) ^ 0x11d;
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (POWERS[((EXPONENTS[a] ?? 0) + (EXPONENTS[b] ?? 0)) % 255] ?? 0);
}

/** Coefficients of (x - 1)(x - 2)(x - 4)… with that many factors, from the highest power down. */
function generatorOf(degree: number): Uint8Array {
  const generator = new Uint8Array(degree + 1);
  generator[0] = 1;
  for (let factor = 0; factor < degree; factor++) {
    for (let at = factor + 1; at > 0; at--) {
      generator[at] = (generator[at] ?? 0) ^ product(generator[at - 1] ?? 0, POWERS[factor] ?? 0);
    }
  }
  return generator;
}

function remainderOf(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const rest = new Uint8Array(data.length + divisor.length - 1);
  rest.set(data);
  for (let at = 0; at < data.length; at++) {
    const factor = rest[at] ?? 0;
    for (let n = 0; n < divisor.length; n++) {
      rest[at + n] = (rest[at + n] ?? 0) ^ product(divisor[n] ?? 0, factor);
    }
  }
  return rest.subarray(data.length);
}
