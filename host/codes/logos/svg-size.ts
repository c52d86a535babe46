import { Element } from 'domhandler';
import sharp from 'sharp';
import { readDeclarations } from './css-rules';
import { isColour } from './css-values';
import { LogoRefusal } from './formats';
import { composeTransforms, INCH, pixelsOf } from './svg-transforms';
import { writeSvg } from './svg-tree';

/** Pixels of an inch for which the renderer does not scale. */
const RENDERER_INCH = 72;
/** A drawing without a size is measured in tenths, and covers less than this. */
const [FINER, FAR] = [10, 1_000_000];
/** Sets the size to be drawn, whatever the drawing declares, and paints its background. */
export async function setSize(root: Element, edge: number): Promise<void> {
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
  const canvas = {
    width: Math.max(1, Math.round(ratio < 1 ? edge * ratio : edge)),
    height: Math.max(1, Math.round(ratio < 1 ? edge : edge / ratio)),
  };
  root.attribs.viewBox = `${box.x} ${box.y} ${box.width} ${box.height}`;
  root.attribs.width = String((canvas.width * RENDERER_INCH) / INCH);
  root.attribs.height = String((canvas.height * RENDERER_INCH) / INCH);
  composeTransforms(root, canvas, box);
  if (!background || !isColour(background)) return;
  const sides = Object.fromEntries(Object.entries(box).map(([name, value]) => [name, String(value)]));
  const paper = new Element('rect', { ...sides, style: `fill:${background};stroke:none;transform:none` });
  paper.parent = root;
  root.children.unshift(paper);
}

/** A size that is not relative to where it is shown. */
function lengthOf(text = ''): number | undefined {
  const length = pixelsOf(text) ?? 0;
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
