import { isDefaultStyle, PAPER, type Style } from '#contract/style-rules';
import { QUIET_ZONE } from '~/codes/files/print-advice';
import {
  BACKING_RATIO,
  type Box,
  type CaptionOutline,
  type CodeDrawing,
  type DrawOptions,
  drawCode,
  type FrameOrder,
  type Gradient,
  type Layer,
  placeModules,
  sizeOf,
} from './code-image';
import { CORNER, cornerPaths } from './corner-shapes';
import { frameAround, type Spare } from './frames';
import { modulesPath } from './module-shapes';
import { circlePath, rounded } from './outlines';

export interface StyledOptions extends DrawOptions {
  /** Null or absent for the default look (ink on paper). */
  style?: Style | null | undefined;
  /** Outlines of the style's caption; the frame is drawn empty without them. */
  caption?: CaptionOutline | undefined;
}

// Version 1 has no alignment pattern, and ZBar cannot locate its modules from round finder patterns alone.
const MIN_VERSION_WITH_ROUND_CORNERS = 2;

const NO_SPARE: Spare = { left: 0, top: 0, right: 0, bottom: 0 };

/**
 * Draws a code in a style; the default style gives exactly what `drawCode` draws. Throws what `drawCode`
 * throws.
 */
export function drawStyled(payload: string, { style, caption, ...options }: StyledOptions): CodeDrawing {
  if (!style || isDefaultStyle(style)) return drawCode(payload, options);
  const { hasSquares, minVersion } = cornersOf(style, options);
  const { size, modules, logo: placed, version } = placeModules(payload, { ...options, minVersion });
  const shapeOf = (dark: Uint8Array) => modulesPath(style.moduleShape, dark, size);
  const path = shapeOf(withoutCorners(modules, size));
  const logo = placed && { ...placed, cleared: shapeOf(placed.cleared) };
  const frame = frameOf(style, caption);
  const symbol: Layer[] = [
    {
      part: 'modules',
      path,
      fill: style.gradientColour === null ? style.moduleColour : null,
      isCrisp: style.moduleShape === 'square',
    },
    { part: 'corners', path: cornersPath(style, size), fill: style.cornerColour, isCrisp: hasSquares },
  ];
  if (logo && options.useWhiteBackground && (style.groundColour !== PAPER || style.transparentGround)) {
    const disc = circlePath(size / 2, size / 2, (logo.size / 2) * BACKING_RATIO);
    symbol.unshift({ part: 'backing', path: disc, fill: PAPER, isCrisp: false });
  }
  const look = {
    ...surround(size, frame, style.groundColour, symbol, NO_SPARE),
    gradient: gradientOf(style, size),
    isTransparent: style.transparentGround,
  };
  return { size, modules, path, logo, version, look, frame };
}

/** Modules per side of what `drawStyled` draws, and its bounds. Throws CodeTooLongError. */
export function measureStyled(
  payload: string,
  { style, caption, ...options }: StyledOptions,
): { size: number; box: Box } {
  const isPlain = !style || isDefaultStyle(style);
  const size = sizeOf(
    payload,
    isPlain ? options : { ...options, minVersion: cornersOf(style, options).minVersion },
  );
  const frame = isPlain ? undefined : frameOf(style, caption);
  return { size, box: frame ? frameAround(size, frame, NO_SPARE).box : bare(size, NO_SPARE) };
}

function cornersOf(style: Style, { minVersion = 1 }: DrawOptions) {
  const hasSquares = style.ringShape === 'square' && style.centreShape === 'square';
  return { hasSquares, minVersion: Math.max(minVersion, hasSquares ? 1 : MIN_VERSION_WITH_ROUND_CORNERS) };
}

function frameOf(
  { frame, frameColour: colour }: Style,
  caption: CaptionOutline | undefined,
): FrameOrder | undefined {
  return frame === 'none' ? undefined : { frame, colour, caption };
}

/** The same drawing with more room between the symbol and its frame, or its edge. */
export function widen(drawing: CodeDrawing, spare: Spare): CodeDrawing {
  const { size, frame, look } = drawing;
  if (!look) return drawing;
  const symbol = look.layers.filter(
    ({ part }) => part !== 'ground' && part !== 'frame' && part !== 'caption',
  );
  const ground = look.layers.find(({ part }) => part === 'ground')?.fill ?? PAPER;
  return { ...drawing, look: { ...look, ...surround(size, frame, ground, symbol, spare) } };
}

/** Background and frame with the symbol on them; outside the outline of a frame there is nothing. */
function surround(
  size: number,
  frame: FrameOrder | undefined,
  groundColour: string,
  symbol: Layer[],
  spare: Spare,
): Box & { layers: Layer[] } {
  const { box, ground, layers } = frame ? frameAround(size, frame, spare) : unframed(size, spare);
  const below: Layer = { part: 'ground', path: ground, fill: groundColour, isCrisp: false };
  return { ...box, layers: [below, ...layers, ...symbol] };
}

function unframed(size: number, spare: Spare): ReturnType<typeof frameAround> {
  const box = bare(size, spare);
  const { x, y, width, height } = box;
  return { box, ground: `M${x} ${y}h${width}v${height}h${-width}z`, layers: [] };
}

function bare(size: number, { left, top, right, bottom }: Spare): Box {
  return { x: -left, y: -top, width: size + left + right, height: size + top + bottom };
}

function cornerPlaces(size: number): { x: number; y: number; isRight: boolean; isBottom: boolean }[] {
  const [near, far] = [QUIET_ZONE, size - QUIET_ZONE - CORNER];
  return [
    { x: near, y: near, isRight: false, isBottom: false },
    { x: far, y: near, isRight: true, isBottom: false },
    { x: near, y: far, isRight: false, isBottom: true },
  ];
}

function cornersPath({ ringShape, centreShape }: Style, size: number): string {
  return cornerPlaces(size)
    .map((place) => cornerPaths(ringShape, centreShape, place))
    .join('');
}

function withoutCorners(modules: Uint8Array, size: number): Uint8Array {
  const rest = modules.slice();
  for (const { x, y } of cornerPlaces(size)) {
    for (let row = y; row < y + CORNER; row++) rest.fill(0, row * size + x, row * size + x + CORNER);
  }
  return rest;
}

/** From edge to edge of the symbol, whatever the angle. */
function gradientOf({ gradientColour, gradientAngle, moduleColour }: Style, size: number): Gradient | null {
  if (gradientColour === null) return null;
  const angle = (gradientAngle * Math.PI) / 180;
  const [right, down] = [Math.cos(angle), Math.sin(angle)];
  const reach = (size / 2 - QUIET_ZONE) * (Math.abs(right) + Math.abs(down));
  const at = (distance: number, colour: string) => ({
    x: rounded(size / 2 + distance * right),
    y: rounded(size / 2 + distance * down),
    colour,
  });
  return { from: at(-reach, moduleColour), to: at(reach, gradientColour) };
}
