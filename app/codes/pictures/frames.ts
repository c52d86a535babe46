import { contrast, INK, PAPER } from '#contract/style-rules';
import type { Box, CaptionOutline, FrameOrder, Layer } from './code-image';
import { circlePath, holePath, type Radii, rectanglePath, short } from './outlines';

/** Room around the quiet zone of the symbol, in modules. */
export interface Spare {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Where the caption of a frame goes, and what is filled behind it. */
interface Shape {
  box: Box;
  path: string;
  /** Path of the background: it ends under the frame, so that none of it shows along the outline. */
  ground: string;
  /** Box in which the caption is centred, without its margins. */
  band: Box;
}

/** The frame around a symbol of `size` modules, including the quiet zone, at an additional distance. */
export function frameAround(
  size: number,
  { frame, colour, caption }: FrameOrder,
  spare: Spare,
): { box: Box; ground: string; layers: Layer[] } {
  // Whole modules, so that a frame's straight edges align with pixels as those of the modules do.
  const line = Math.max(1, Math.round(size / 37));
  const inside = {
    x: -line - spare.left,
    y: -line - spare.top,
    width: size + 2 * line + spare.left + spare.right,
    height: size + 2 * line + spare.top + spare.bottom,
  };
  const text = caption && setText(caption, inside.width - (frame === 'badge' ? 7 : 1) * line, size);
  const height = text?.band ?? bandOf(size);
  const { box, path, ground, band } = SHAPES[frame](inside, line, height, text?.width ?? size / 2);
  const layers: Layer[] = [{ part: 'frame', path, fill: colour, isCrisp: false }];
  if (text) {
    const fill = contrast(INK, colour) > contrast(PAPER, colour) ? INK : PAPER;
    layers.push({ part: 'caption', path: textPath(text, band), fill, isCrisp: false });
  }
  return { box, ground, layers };
}

type Draw = (inside: Box, line: number, bandHeight: number, textWidth: number) => Shape;

const SHAPES: Record<FrameOrder['frame'], Draw> = {
  'caption-below': (inside, line, bandHeight) => {
    const box = grow(inside, line, { below: bandHeight - line });
    const band = { ...box, y: inside.y + inside.height, height: bandHeight };
    return { box, ...plate(box, inside, line, 1.5 * line), band };
  },
  'caption-above': (inside, line, bandHeight) => {
    const box = grow(inside, line, { above: bandHeight - line });
    return { box, ...plate(box, inside, line, 1.5 * line), band: { ...box, height: bandHeight } };
  },
  badge: drawBadge,
  ticket: drawTicket,
};

/** An outline with a pill for the caption on its lower edge. */
function drawBadge(inside: Box, line: number, bandHeight: number, textWidth: number): Shape {
  const below = Math.floor((bandHeight - line) / 2);
  const hole = { ...inside, height: inside.height + below };
  const ring = grow(hole, line, {});
  const width = Math.min(inside.width - 4 * line, Math.max(inside.width / 2, textWidth + bandHeight));
  const band = {
    x: inside.x + (inside.width - width) / 2,
    y: inside.y + inside.height,
    width,
    height: bandHeight,
  };
  const { path, ground } = plate(ring, hole, line, 2 * line);
  const pill = rectanglePath(band, all(bandHeight / 2));
  return { box: { ...ring, height: band.y + band.height - ring.y }, path: path + pill, ground, band };
}

/** A ticket with a tear-off stub below, along a perforation between two notches. */
function drawTicket(inside: Box, line: number, bandHeight: number): Shape {
  const rim = 3 * line;
  const box = grow(inside, rim, { below: bandHeight });
  const tear = inside.y + inside.height + rim - line;
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  const notch = 1.75 * line;
  const corner = 2.5 * line;
  const arc = (to: string) => `a${corner} ${corner} 0 0 1 ${to}`;
  const nick = (down: number) => `a${notch} ${notch} 0 0 0 0 ${down * 2 * notch}`;
  const straight = short(box.width - 2 * corner);
  const outline = [
    `M${short(box.x + corner)} ${short(box.y)}h${straight}${arc(`${corner} ${corner}`)}`,
    `V${short(tear - notch)}${nick(1)}V${short(bottom - corner)}${arc(`-${corner} ${corner}`)}`,
    `h-${straight}${arc(`-${corner} -${corner}`)}`,
    `V${short(tear + notch)}${nick(-1)}V${short(box.y + corner)}${arc(`${corner} -${corner}`)}z`,
  ].join('');
  const [first, last] = [box.x + notch + line, right - notch - line];
  const steps = Math.round((last - first) / (1.5 * line));
  const holes = Array.from({ length: steps + 1 }, (_, step) =>
    circlePath(first + ((last - first) * step) / steps, tear, 0.32 * line, true),
  );
  const path = outline + holePath(inside, all(1.5 * line)) + holes.join('');
  const ground = rectanglePath(grow(inside, line, { below: tear - inside.y - inside.height }), all(0));
  return { box, path, ground, band: { ...box, y: tear, height: bottom - tear } };
}

/** A ring whose corners have the same centres outside and inside. */
function plate(box: Box, hole: Box, line: number, inner: number): { path: string; ground: string } {
  const path = rectanglePath(box, all(inner + line)) + holePath(hole, all(inner));
  return { path, ground: rectanglePath(grow(hole, line / 2, {}), all(inner + line / 2)) };
}

function all(radius: number): Radii {
  return [radius, radius, radius, radius];
}

function grow(box: Box, by: number, { above = 0, below = 0 }: { above?: number; below?: number }): Box {
  return {
    x: box.x - by,
    y: box.y - by - above,
    width: box.width + 2 * by,
    height: box.height + 2 * by + above + below,
  };
}

/** Lines of a caption, and how they fit into the band of a frame. */
interface Text {
  lines: Line[];
  /** Modules per font unit. */
  scale: number;
  outline: CaptionOutline;
  /** Width of the longest line, in modules. */
  width: number;
  /** Height of the band that it needs, in modules. */
  band: number;
}

interface Line {
  words: CaptionOutline['words'];
  width: number;
}

function bandOf(size: number): number {
  return Math.round(size * 0.19);
}

/** Uses two lines when that makes the letters clearly larger. */
function setText(outline: CaptionOutline, room: number, size: number): Text {
  const { words, space, capHeight } = outline;
  const band = bandOf(size);
  const width = room - band / 2;
  const set = (lines: Line[], height: number, ratio: number): Text => {
    const longest = Math.max(...lines.map((line) => line.width));
    const scale = Math.min(width / longest, (height * ratio) / capHeight);
    return { lines, scale, outline, width: longest * scale, band: height };
  };
  const one = set([lineOf(words, space)], band, 0.42);
  if (words.length < 2) return one;
  const splits = words.slice(1).map((_, at) => {
    return [lineOf(words.slice(0, at + 1), space), lineOf(words.slice(at + 1), space)];
  });
  const longest = (lines: Line[]) => Math.max(...lines.map((line) => line.width));
  const [best = []] = splits.sort((a, b) => longest(a) - longest(b));
  const two = set(best, Math.round(band * 1.5), 0.26);
  return two.scale > one.scale * 1.2 ? two : one;
}

function lineOf(words: Line['words'], space: number): Line {
  return { words, width: words.reduce((sum, word) => sum + word.width, space * (words.length - 1)) };
}

/** Distance between baselines, in cap heights. */
const LEADING = 1.75;

function textPath({ lines, scale, outline: { capHeight, space, isRightToLeft } }: Text, band: Box): string {
  const cap = capHeight * scale;
  const height = cap * (1 + LEADING * (lines.length - 1));
  let y = band.y + (band.height - height) / 2 + cap;
  let path = '';
  for (const { words, width } of lines) {
    let x = band.x + (band.width - width * scale) / 2;
    for (const word of isRightToLeft ? [...words].reverse() : words) {
      path += placed(word.path, scale, x, y);
      x += (word.width + space) * scale;
    }
    y += cap * LEADING;
  }
  return path;
}

function placed(path: string, scale: number, x: number, y: number): string {
  return path.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, right: string, down: string) => {
    return `${short(x + Number(right) * scale)} ${short(y + Number(down) * scale)}`;
  });
}
