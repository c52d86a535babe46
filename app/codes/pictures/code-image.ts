import { type Frame, INK, PAPER } from '#contract/style-rules';
import { QUIET_ZONE } from '~/codes/files/print-advice';
import { withBestMask, withMask } from './best-mask';
import { encode, versionOf } from './codewords';
import { placeCodewords } from './symbol';

export type MaskPattern = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

export interface DrawOptions {
  logoHref?: string;
  useWhiteBackground?: boolean;
  maskPattern?: MaskPattern;
  /** 1 to 40; a longer payload still gets a higher version. */
  minVersion?: number;
}

export interface CodeDrawing {
  /** Modules per side, including the quiet zone on both sides. */
  size: number;
  /** Row by row with the quiet zone, 1 = dark; already cleared under the logo. */
  modules: Uint8Array;
  /** SVG path of the dark modules, one unit per module; with a look, only those outside the three corners. */
  path: string;
  /** The square the logo fits into, in modules, and a path of the dark modules that were cleared for it. */
  logo?: { href: string; x: number; y: number; size: number; cleared: string } | undefined;
  version: number;
  /** Absent for the default look (ink on paper). */
  look?: Look;
  /** The frame of the look. */
  frame?: FrameOrder | undefined;
}

/** Layers from the bottom up, in modules from the corner of the symbol's quiet zone. */
export interface Look extends Box {
  layers: Layer[];
  gradient: Gradient | null;
  /** Formats with transparency leave the background out. */
  isTransparent: boolean;
}

/** Larger than the symbol when it has a frame; `x` and `y` are negative then. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layer {
  part: 'ground' | 'frame' | 'caption' | 'backing' | 'modules' | 'corners';
  /** Filled with the non-zero rule. */
  path: string;
  /** A colour; null for the gradient. */
  fill: string | null;
  /** Whether all its edges lie on module boundaries. */
  isCrisp: boolean;
}

/** A caption as outlines, in units of its font. */
export interface CaptionOutline {
  /** In reading order. Paths of M, L, Q, C and Z, from the left end of the baseline. */
  words: { path: string; width: number }[];
  isRightToLeft: boolean;
  /** Width of the space between two words. */
  space: number;
  /** Height of capital letters. */
  capHeight: number;
}

export interface FrameOrder {
  frame: Exclude<Frame, 'none'>;
  colour: string;
  /** Absent until its outlines are known. */
  caption?: CaptionOutline | undefined;
}

/** A linear gradient between two points, in modules. */
export interface Gradient {
  from: { x: number; y: number; colour: string };
  to: { x: number; y: number; colour: string };
}

/** Thrown when a payload does not fit the largest symbol at level H. */
export class CodeTooLongError extends Error {
  override name = 'CodeTooLongError';
}

// Below version 3, a logo a quarter of the width overlaps the format information and uses up the whole
// error correction.
const MIN_VERSION_WITH_LOGO = 3;
// Diameter of the round backing relative to the logo's side: 1.3 leaves a quarter of the correction unused at
// version 4, 1.42 an eighth.
export const BACKING_RATIO = 1.3;

function createSymbol(payload: string, maskPattern: MaskPattern | undefined, minVersion: number) {
  if (payload === '') throw new Error('nothing to encode');
  const codewords = encode(payload, minVersion);
  if (!codewords) throw new CodeTooLongError('The content does not fit a code');
  const symbol = placeCodewords(codewords);
  const modules = maskPattern === undefined ? withBestMask(symbol) : withMask(symbol, maskPattern);
  return { version: codewords.version, width: symbol.size, modules };
}

// Only whole modules are cleared, so that no sliver or half module shows beside the logo.
function clearCentre(modules: Uint8Array, width: number, logoSize: number, isRound: boolean): void {
  const centre = width / 2;
  const half = logoSize / 2;
  const radius = half * BACKING_RATIO;
  const first = Math.floor(centre - radius);
  for (let row = first; row < width - first; row++) {
    const dy = Math.max(row - centre, centre - row - 1, 0);
    for (let column = first; column < width - first; column++) {
      const dx = Math.max(column - centre, centre - column - 1, 0);
      const isUnderLogo = dx < half && dy < half;
      if (isUnderLogo || (isRound && dx * dx + dy * dy < radius * radius)) modules[row * width + column] = 0;
    }
  }
}

function withQuietZone(modules: Uint8Array, width: number): Uint8Array {
  const size = width + 2 * QUIET_ZONE;
  const framed = new Uint8Array(size * size);
  for (let row = 0; row < width; row++) {
    framed.set(modules.subarray(row * width, (row + 1) * width), (row + QUIET_ZONE) * size + QUIET_ZONE);
  }
  return framed;
}

function without(plain: Uint8Array, cleared: Uint8Array): Uint8Array {
  return plain.map((dark, index) => (cleared[index] === 1 ? 0 : dark));
}

/** SVG path of the dark modules as they are. */
export function squaresPath(modules: Uint8Array, size: number): string {
  let path = '';
  for (let row = 0; row < size; row++) {
    let start = -1;
    for (let column = 0; column < size; column++) {
      const isDark = modules[row * size + column] === 1;
      if (isDark && start < 0) start = column;
      if (!isDark && start >= 0) {
        path += `M${start} ${row}h${column - start}v1h${start - column}z`;
        start = -1;
      }
    }
  }
  return path;
}

/**
 * Places the modules of a code at level H, with the logo in the centre at a quarter of its width, with or without a
 * round backing. Throws CodeTooLongError; an empty payload is a programming error and throws too.
 */
export function placeModules(payload: string, options: DrawOptions) {
  const { logoHref, useWhiteBackground = false, maskPattern, minVersion = 1 } = options;
  const hasLogo = logoHref !== undefined;
  const lowest = lowestVersion(hasLogo, minVersion);
  const { version, width, modules: symbol } = createSymbol(payload, maskPattern, lowest);
  const logoSize = width / 4;
  const size = width + 2 * QUIET_ZONE;
  const plain = withQuietZone(symbol, width);
  if (hasLogo) clearCentre(symbol, width, logoSize, useWhiteBackground);
  const modules = withQuietZone(symbol, width);
  const corner = (size - logoSize) / 2;
  const logo = hasLogo
    ? { href: logoHref, x: corner, y: corner, size: logoSize, cleared: without(plain, modules) }
    : undefined;
  return { size, modules, logo, version };
}

/** Modules per side of such a code, with the quiet zone. Throws CodeTooLongError. */
export function sizeOf(payload: string, { logoHref, minVersion = 1 }: DrawOptions): number {
  const version = versionOf(payload, lowestVersion(logoHref !== undefined, minVersion));
  if (version === null) throw new CodeTooLongError('The content does not fit a code');
  return 17 + 4 * version + 2 * QUIET_ZONE;
}

function lowestVersion(hasLogo: boolean, minVersion: number): number {
  return Math.min(40, Math.max(minVersion, hasLogo ? MIN_VERSION_WITH_LOGO : 1));
}

/** Draws a code in ink on paper; see `placeModules`. */
export function drawCode(payload: string, options: DrawOptions): CodeDrawing {
  const { size, modules, logo: placed, version } = placeModules(payload, options);
  const logo = placed && { ...placed, cleared: squaresPath(placed.cleared, size) };
  return { size, modules, path: squaresPath(modules, size), logo, version };
}

/** Bounds of a drawing, in modules. */
export function boxOf({ size, look }: Pick<CodeDrawing, 'size' | 'look'>): Box {
  return look ?? { x: 0, y: 0, width: size, height: size };
}

const XLINK = 'http://www.w3.org/1999/xlink';
/** Characters that XML 1.0 does not allow, even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return text.replace(NOT_XML, '').replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A standalone SVG document of plain shapes, `px` wide; without it the SVG scales. */
export function svgOf(drawing: CodeDrawing, options: { px?: number; title?: string } = {}): string {
  const { px, title } = options;
  const { x, y, width, height } = boxOf(drawing);
  const extent = px === undefined ? '' : ` width="${px}" height="${+((px * height) / width).toFixed(3)}"`;
  // Editors of SVG 1.1 read only `xlink:href`.
  const [names, space] = drawing.logo ? [['href', 'xlink:href'], ` xmlns:xlink="${XLINK}"`] : [[], ''];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg"${space} viewBox="${x} ${y} ${width} ${height}"${extent}>`,
    title === undefined ? '' : `<title>${escapeXml(title)}</title>`,
    shapesOf(drawing, names),
    '</svg>',
  ].join('');
}

/** The drawing with an opaque background, for formats that need one. */
export function withGround(drawing: CodeDrawing): CodeDrawing {
  return drawing.look ? { ...drawing, look: { ...drawing.look, isTransparent: false } } : drawing;
}

/** The content of a drawing's SVG element; `hrefNames` are the attributes with the address of its logo. */
export function shapesOf({ size, path, logo, look }: CodeDrawing, hrefNames = ['href']): string {
  const box = logo && `x="${logo.x}" y="${logo.y}" width="${logo.size}" height="${logo.size}"`;
  return [
    look ? lookShapes(look) : `<rect width="${size}" height="${size}" fill="${PAPER}"/>`,
    look ? '' : `<path d="${path}" fill="${INK}" shape-rendering="crispEdges"/>`,
    logo ? `<image ${box}${hrefNames.map((name) => ` ${name}="${escapeXml(logo.href)}"`).join('')}/>` : '',
  ].join('');
}

function lookShapes({ layers, gradient, isTransparent }: Look): string {
  const name = gradient && gradientName(gradient);
  return [
    gradient && name ? gradientElement(gradient, name) : '',
    ...layers
      .filter(({ part }) => part !== 'ground' || !isTransparent)
      .map(({ path, fill, isCrisp }) => {
        const crisp = isCrisp ? ' shape-rendering="crispEdges"' : '';
        return `<path d="${path}" fill="${fill ?? `url(#${name})`}"${crisp}/>`;
      }),
  ].join('');
}

function gradientElement({ from, to }: Gradient, name: string): string {
  const line = `x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"`;
  const stops = `<stop offset="0" stop-color="${from.colour}"/><stop offset="1" stop-color="${to.colour}"/>`;
  return `<defs><linearGradient id="${name}" gradientUnits="userSpaceOnUse" ${line}>${stops}</linearGradient></defs>`;
}

/** Unique per gradient: one page may contain several drawings. */
function gradientName({ from, to }: Gradient): string {
  return `ink${[from, to].map(({ x, y, colour }) => `-${colour.slice(1)}-${x}-${y}`).join('')}`.replace(
    /\./g,
    '_',
  );
}
