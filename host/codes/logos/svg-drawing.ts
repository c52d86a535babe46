import { type Element, isTag } from 'domhandler';
import sharp, { type Sharp } from 'sharp';
import { isRaster, LogoRefusal, mayBeSvg } from './formats';
import { countDrawnElements } from './svg-repetitions';
import { setSize } from './svg-size';
import { applyStyles } from './svg-styles';
import { readSvgText } from './svg-text';
import { INCH } from './svg-transforms';
import { elementsOf, parseSvg, textOf, writeSvg } from './svg-tree';

export interface DrawingLimits {
  /** Longest side of the result, in pixels. */
  edge: number;
  /** Maximum number of pixels to decode. */
  pixelLimit: number;
}

/** More than any logo needs; drawings that reference themselves recursively exceed it. */
const DRAWN_ELEMENTS = 50_000;
/** An uploaded SVG as a picture of which the longest side has `edge` pixels, to be read with sharp. */
export async function openSvg(bytes: Buffer, limits: DrawingLimits): Promise<Sharp> {
  const state = { limits, pixelsLeft: limits.pixelLimit };
  return render(await simplify(readSvgText(bytes), state, false), limits);
}

function render(svg: string, { pixelLimit }: DrawingLimits): Sharp {
  return sharp(Buffer.from(svg), { density: INCH, failOn: 'error', limitInputPixels: pixelLimit });
}

interface State {
  limits: DrawingLimits;
  /** How many more pixels its images may have. */
  pixelsLeft: number;
}

/** Rewrites a drawing with what the renderer knows, or refuses it. */
async function simplify(text: string, state: State, isWithin: boolean): Promise<string> {
  const root = parseSvg(text);
  applyStyles(root);
  chooseAlternatives(root);
  if (countDrawnElements(root) > DRAWN_ELEMENTS) throw new LogoRefusal('logo_too_complex');
  for (const element of elementsOf(root)) await redrawImage(element, state, isWithin);
  await setSize(root, state.limits.edge);
  return writeSvg(root);
}

/** Of each `switch` keeps what can be drawn, and refuses what only browsers can draw. */
function chooseAlternatives(parent: Element): void {
  const { requiredFeatures: _, ...attribs } = parent.attribs;
  parent.attribs = attribs;
  const wanted = parent.children.filter(
    (child) => !isTag(child) || !child.attribs.requiredExtensions?.trim(),
  );
  const inHtml = wanted.filter(isTag).filter(({ name }) => name === 'foreignObject');
  const others = wanted.filter((child) => !isTag(child) || child.name !== 'foreignObject');
  const isChoice = parent.name === 'switch';
  const chosen = isChoice ? others.filter(isTag).filter(isDrawn) : [];
  const choice = chosen.find(({ attribs }) => isEnglish(attribs.systemLanguage)) ?? chosen[0];
  if (!choice && inHtml.some(drawsHtml)) throw new LogoRefusal('logo_undrawable');
  parent.children = isChoice ? others.filter((child) => child === choice) : others;
  if (isChoice) parent.name = 'g';
  for (const child of parent.children.filter(isTag)) {
    delete child.attribs.systemLanguage;
    chooseAlternatives(child);
  }
}

function isDrawn({ name }: Element): boolean {
  return !/^(?:foreign:.*|title|desc|metadata)$/.test(name);
}

function isEnglish(languages = 'en'): boolean {
  return /(?:^|[\s,])en\b/i.test(languages);
}

function drawsHtml(part: Element): boolean {
  return textOf(part).trim() !== '' || elementsOf(part).some(({ name }) => name === 'foreign:html');
}

const DATA = /^data:([^,;]*)[^,]*?(;base64)?\s*,(.*)$/is;

/** Embedded images as PNG or JPEG, upright and in plain colours: the renderer reads no others. */
async function redrawImage(element: Element, state: State, isWithin: boolean): Promise<void> {
  const [, , base64, data = ''] = DATA.exec(element.attribs.href ?? '') ?? [];
  if (!/^\s*data:/i.test(element.attribs.href ?? '')) return;
  if (!/^(?:image|feImage)$/.test(element.name)) {
    delete element.attribs.href;
    return;
  }
  const plain = data.includes('%') ? decodeURIComponent(data) : data;
  const bytes = Buffer.from(plain, base64 ? 'base64' : 'utf8');
  if (!isRaster(bytes)) {
    // A drawing within a drawing, but no further.
    if (isWithin || !mayBeSvg(bytes)) throw new LogoRefusal('logo_undrawable');
    const drawn = await render(await simplify(readSvgText(bytes), state, true), state.limits)
      .png()
      .toBuffer();
    element.attribs.href = `data:image/png;base64,${drawn.toString('base64')}`;
    return;
  }
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: false });
  const { format, width = 0, height = 0, space, icc, orientation = 1 } = await image.metadata();
  state.pixelsLeft -= width * height;
  if (state.pixelsLeft < 0) throw new LogoRefusal('logo_too_many_pixels');
  const isKnown = format === 'png' || format === 'jpeg';
  const isPlain = isKnown && orientation === 1 && !icc && (space === 'srgb' || space === 'b-w');
  const side = 2 * state.limits.edge;
  const redrawn = isPlain
    ? bytes
    : await image
        .rotate()
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .png({ compressionLevel: 1 })
        .toBuffer();
  const type = isPlain ? format : 'png';
  element.attribs.href = `data:image/${type};base64,${redrawn.toString('base64')}`;
}
