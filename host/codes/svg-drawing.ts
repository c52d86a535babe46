import { Element, isTag } from 'domhandler';
import sharp, { type Sharp } from 'sharp';
import { readDeclarations } from './css-rules';
import { isColour } from './css-values';
import { isRaster, LogoRefusal, mayBeSvg } from './logo-formats';
import { countDrawnElements } from './svg-repetitions';
import { applyStyles } from './svg-styles';
import { readSvgText } from './svg-text';
import { elementsOf, parseSvg, textOf, writeSvg } from './svg-tree';

export interface DrawingLimits {
  /** Longest side of the result, in pixels. */
  edge: number;
  /** Maximum number of pixels to decode. */
  pixelLimit: number;
}

/** More than any logo needs; drawings that reference themselves recursively exceed it. */
const DRAWN_ELEMENTS = 50_000;
/** Pixels of an inch in CSS, and in the renderer's default. */
const [INCH, RENDERER_INCH] = [96, 72];
/** A drawing without a size is measured in tenths, and covers less than this. */
const [FINER, FAR] = [10, 1_000_000];
/** Centimetres and the like in CSS pixels; `em` for the usual size of a letter. */
const UNITS: Record<string, number> = {
  '': 1,
  px: 1,
  in: INCH,
  cm: INCH / 2.54,
  mm: INCH / 25.4,
  q: INCH / 101.6,
  pt: INCH / 72,
  pc: INCH / 6,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
};

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

/** Sets the size to be drawn, whatever the drawing declares, and paints its background. */
async function setSize(root: Element, edge: number): Promise<void> {
  const declarations = readDeclarations(root.attribs.style ?? '');
  const styled = (pattern: RegExp) => declarations.findLast(({ property }) => pattern.test(property))?.value;
  const width = lengthOf(styled(/^width$/)) ?? lengthOf(root.attribs.width);
  const height = lengthOf(styled(/^height$/)) ?? lengthOf(root.attribs.height);
  const background = styled(/^background(?:-color)?$/);
  root.attribs.style = declarations
    .filter(({ property }) => !/^(?:(?:min-|max-)?(?:width|height)|background.*)$/.test(property))
    .map(({ property, value }) => `${property}:${value}`)
    .join(';');
  const declared = viewBoxOf(root.attribs.viewBox);
  const box = declared ?? (width && height ? { x: 0, y: 0, width, height } : await measure(root));
  const ratio = width && height ? width / height : box.width / box.height;
  if (!(ratio > 0 && ratio < Number.POSITIVE_INFINITY)) throw new LogoRefusal('logo_empty');
  const toUnits = (pixels: number) => String((Math.max(1, Math.round(pixels)) * RENDERER_INCH) / INCH);
  root.attribs.viewBox = `${box.x} ${box.y} ${box.width} ${box.height}`;
  root.attribs.width = toUnits(ratio < 1 ? edge * ratio : edge);
  root.attribs.height = toUnits(ratio < 1 ? edge : edge / ratio);
  if (!background || !isColour(background)) return;
  const sides = Object.fromEntries(Object.entries(box).map(([name, value]) => [name, String(value)]));
  const paper = new Element('rect', { ...sides, style: `fill:${background};stroke:none;transform:none` });
  paper.parent = root;
  root.children.unshift(paper);
}

/** A length in pixels; undefined for those that depend on where it is shown. */
function lengthOf(text = ''): number | undefined {
  const [, number = '', unit = ''] = /^\s*(\+?[\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const length = Number.parseFloat(number) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
  return length > 0 && length < Number.POSITIVE_INFINITY ? length : undefined;
}

function viewBoxOf(text = '') {
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [x = 0, y = 0, width = 0, height = 0] = numbers;
  const isValid = numbers.length === 4 && numbers.every(Number.isFinite) && width > 0 && height > 0;
  return isValid ? { x, y, width, height } : undefined;
}

/** The box around all that is drawn, found by what a speck far away adds to the size. */
async function measure(root: Element) {
  const { width: _, height: __, viewBox: ___, ...attribs } = root.attribs;
  root.attribs = attribs;
  const svg = writeSvg(root);
  const sizeWith = async (at: number) => {
    const speck = `<path style="fill:#000;stroke:none;opacity:1;visibility:visible" d="M${at} ${at}h1v1z"/>`;
    const whole = svg
      .replace('>', `><g transform="scale(${FINER})">`)
      .replace(/<\/svg>$/, `</g>${speck}</svg>`);
    const options = { density: INCH, limitInputPixels: false };
    const { width = 0, height = 0 } = await sharp(Buffer.from(whole), options).metadata();
    return { width: (width * RENDERER_INCH) / INCH, height: (height * RENDERER_INCH) / INCH };
  };
  const before = await sizeWith(FAR);
  const after = await sizeWith(-FAR);
  const [x, y] = [(FAR + 1 - before.width) / FINER, (FAR + 1 - before.height) / FINER];
  return { x, y, width: (after.width - FAR) / FINER - x, height: (after.height - FAR) / FINER - y };
}
