import type { Element } from 'domhandler';
import { readDeclarations } from './css-rules';
import { LogoRefusal } from './formats';
import { elementsOf } from './svg-tree';

/** Pixels of an inch in CSS. */
export const INCH = 96;
/** Centimetres and the like in pixels; `em` for the usual size of letters. */
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
const PLACES: Record<string, string> = { left: '0', top: '0', center: '50%', right: '100%', bottom: '100%' };
/** Properties that say in parts what `transform` says, in the order in which they apply. */
const PARTS = ['translate', 'rotate', 'scale'];

interface Size {
  width: number;
  height: number;
}

/** A length in pixels; undefined if it depends on something else. */
export function pixelsOf(text: string): number | undefined {
  const [, number, unit = ''] =
    /^\s*([+-]?(?:\d+\.?|\d*\.\d+)\d*(?:e[+-]?\d+)?)([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

/**
 * Writes transforms about a point, and those in parts, as one transform, which is all that the renderer reads. Those of
 * the root are about its middle. Refuses those about the middle of a shape, whose size only the renderer knows.
 */
export function composeTransforms(root: Element, canvas: Size, box: Size): void {
  for (const element of elementsOf(root)) {
    const isRoot = element === root;
    composeTransform(element, isRoot ? '50% 50%' : '0 0', isRoot ? canvas : box);
  }
}

function composeTransform(element: Element, usual: string, size: Size): void {
  const { attribs } = element;
  const declarations = readDeclarations(attribs.style ?? '');
  const styled = (name: string) => declarations.findLast(({ property }) => property === name)?.value;
  const given = (name: string) => [name, (styled(name) ?? 'none').trim().replace(/\s+/g, ',')] as const;
  const parts = PARTS.map(given).flatMap(([name, value]) => (value === 'none' ? [] : `${name}(${value})`));
  const [css, attribute] = [styled('transform'), attribs.transform];
  const whole = [...parts, css ?? attribute ?? ''].filter((text) => text !== '' && text !== 'none').join(' ');
  if (whole === '') return;
  const origin = styled('transform-origin') ?? attribs['transform-origin'] ?? usual;
  const isAboutShape = /^(?:fill|stroke|content|border)-box$/.test(styled('transform-box') ?? '');
  const [x, y] = isAboutShape ? [undefined, undefined] : pointOf(origin, size);
  const isMixed = parts.length > 0 && css === undefined && attribute !== undefined;
  if (x === undefined || y === undefined || isMixed) throw new LogoRefusal('logo_undrawable');
  if (x === 0 && y === 0 && parts.length === 0) return;
  if (css === undefined && parts.length === 0) {
    attribs.transform = `translate(${x} ${y}) ${whole} translate(${-x} ${-y})`;
  } else {
    const transform = `translate(${x}px,${y}px) ${whole} translate(${-x}px,${-y}px)`;
    attribs.style = `${attribs.style ?? ''};transform:${transform}`;
  }
}

function pointOf(origin: string, { width, height }: Size): (number | undefined)[] {
  const [first = '', second = 'center'] = origin.trim().toLowerCase().split(/\s+/);
  const isSwapped = /^(?:top|bottom)$/.test(first) || /^(?:left|right)$/.test(second);
  const [x, y] = isSwapped ? [second, first] : [first, second];
  return [distanceOf(x, width), distanceOf(y, height)];
}

function distanceOf(text: string, side: number): number | undefined {
  const place = PLACES[text] ?? text;
  return place.endsWith('%') ? (Number(place.slice(0, -1)) / 100) * side : pixelsOf(place);
}
