import { create } from 'qrcode/lib/core/qrcode.js';
import { QUIET_ZONE } from '~/codes/print-advice';
import { applyBestMask } from './best-mask';

export type MaskPattern = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

export interface DrawOptions {
  logoHref?: string;
  useWhiteBackground?: boolean;
  maskPattern?: MaskPattern;
  /** 1 to 40; a longer payload takes a higher version all the same. */
  minVersion?: number;
}

export interface CodeDrawing {
  /** Modules along one side, the quiet zone on both sides included. */
  size: number;
  /** Row by row with the quiet zone, 1 = dark, already cleared under the logo. */
  modules: Uint8Array;
  /** SVG path of the dark modules, one unit a module. */
  path: string;
  /** The square the logo fits into, in modules, and a path of the dark modules that were cleared for it. */
  logo?: { href: string; x: number; y: number; size: number; cleared: string };
  version: number;
}

/** Thrown when a payload does not fit the largest symbol at level H. */
export class CodeTooLongError extends Error {
  override name = 'CodeTooLongError';
}

export const INK = '#14203c';
export const PAPER = '#ffffff';

// Below version 3 a logo of a quarter of the width reaches the format information and uses up the whole
// error correction.
const MIN_VERSION_WITH_LOGO = 3;
// Diameter of the round backing in logo sides: 1.3 leaves a quarter of the correction unused at version 4,
// 1.42 an eighth.
const BACKING_RATIO = 1.3;

function createSymbol(payload: string, maskPattern: MaskPattern | undefined, minVersion: number) {
  const options = { errorCorrectionLevel: 'H' as const, maskPattern: maskPattern ?? 0 };
  try {
    let symbol = create(payload, options);
    if (symbol.version < minVersion) symbol = create(payload, { ...options, version: minVersion });
    if (maskPattern === undefined) applyBestMask(symbol.modules);
    return symbol;
  } catch (error) {
    if (error instanceof Error && error.message.includes('too big')) {
      throw new CodeTooLongError('The content does not fit a code', { cause: error });
    }
    throw error;
  }
}

// Modules are cleared whole, so that no sliver of one shows beside the logo and none is half a module wide.
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

function pathOf(modules: Uint8Array, size: number): string {
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
 * Draws a code at level H, the logo a quarter of its width in the centre, with or without a round white
 * backing. Throws CodeTooLongError; an empty payload is a caller's mistake and throws as well.
 */
export function drawCode(payload: string, options: DrawOptions): CodeDrawing {
  const { logoHref, useWhiteBackground = false, maskPattern, minVersion = 1 } = options;
  const hasLogo = logoHref !== undefined;
  const lowest = Math.min(40, Math.max(minVersion, hasLogo ? MIN_VERSION_WITH_LOGO : 1));
  const symbol = createSymbol(payload, maskPattern, lowest);
  const width = symbol.modules.size;
  const logoSize = width / 4;
  const size = width + 2 * QUIET_ZONE;
  const plain = withQuietZone(symbol.modules.data, width);
  if (hasLogo) clearCentre(symbol.modules.data, width, logoSize, useWhiteBackground);
  const modules = withQuietZone(symbol.modules.data, width);
  const corner = (size - logoSize) / 2;
  const cleared = hasLogo ? pathOf(without(plain, modules), size) : '';
  const logo = hasLogo ? { href: logoHref, x: corner, y: corner, size: logoSize, cleared } : undefined;
  return { size, modules, path: pathOf(modules, size), logo, version: symbol.version };
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A standalone SVG document of plain shapes; `px` is its width and height, without it the SVG scales. */
export function svgOf(
  drawing: CodeDrawing,
  options: { dark?: string; light?: string; px?: number; title?: string } = {},
): string {
  const { dark = INK, light = PAPER, px, title } = options;
  const { size, path, logo } = drawing;
  const extent = px === undefined ? '' : ` width="${px}" height="${px}"`;
  const box = logo && `x="${logo.x}" y="${logo.y}" width="${logo.size}" height="${logo.size}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"${extent}>`,
    title === undefined ? '' : `<title>${escapeXml(title)}</title>`,
    `<rect width="${size}" height="${size}" fill="${escapeXml(light)}"/>`,
    `<path d="${path}" fill="${escapeXml(dark)}" shape-rendering="crispEdges"/>`,
    logo ? `<image ${box} href="${escapeXml(logo.href)}"/>` : '',
    '</svg>',
  ].join('');
}
