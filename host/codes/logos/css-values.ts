import { calcFromComponentValues } from '@csstools/css-calc';
import { color, serializeRGB } from '@csstools/css-color-parser';
import {
  type ComponentValue,
  type FunctionNode,
  isFunctionNode,
  isSimpleBlockNode,
  isTokenNode,
  parseListOfComponentValues,
  stringify,
} from '@csstools/css-parser-algorithms';
import { isTokenComma, isTokenIdent, isTokenString, isTokenURL, tokenize } from '@csstools/css-tokenizer';
import { LogoRefusal } from './formats';

/** Values of custom properties, in which no `var()` remains. */
export type Variables = Pick<ReadonlyMap<string, string>, 'get'>;

export interface Scope {
  variables: Variables;
  /** What `currentColor` stands for. */
  colour: string;
}

/** Longer values are made only by variables that repeat one another. */
const MAX_CHARACTERS = 100_000;
const COLOURS = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|contrast-color)$/i;
const SUMS = /^(?:calc|min|max|clamp)$/i;
/** Colour for printers, which follows another colour. */
const PRINTER_COLOUR = /^(?:icc|device)-/i;

/** Escapes may hide a name. */
const MAY_NEED = /\\|(?:var|url|src|rgba?|hsla?|hwb|lab|lch|color|color-mix|dark|calc|min|max|clamp)\(/i;

/** A value that cannot be computed: its property is as if it had never been set. */
export const UNSET = Symbol('unset');
/** A value that is no CSS: it changes nothing. */
export const INVALID = Symbol('invalid');

/**
 * Computes what SVG renderers do not know: variables and the functions of colours. Refuses references to other files.
 */
export function resolveValue(value: string, scope: Scope): string | typeof UNSET | typeof INVALID {
  if (!MAY_NEED.test(value)) return value;
  try {
    return stringify([resolveFunctions(replaceVariables(parseCss(value), scope.variables), scope.colour)]);
  } catch (thrown) {
    if (thrown === UNSET || thrown === INVALID) return thrown;
    throw thrown;
  }
}

/** The value of a custom property; undefined if it has none, because of what it refers to. */
export function resolveVariables(value: string, variables: Variables): string | undefined {
  if (!value.includes('(')) return value;
  try {
    return stringify([replaceVariables(parseCss(value), variables)]);
  } catch (thrown) {
    if (thrown === UNSET) return undefined;
    throw thrown;
  }
}

export function parseCss(css: string): ComponentValue[] {
  try {
    return parseListOfComponentValues(tokenize({ css }));
  } catch {
    // Brackets within brackets, deeper than anybody writes them.
    throw new LogoRefusal('logo_too_complex');
  }
}

/** Throws `UNSET` for a variable without a value and without a fallback. */
function replaceVariables(nodes: ComponentValue[], variables: Variables): ComponentValue[] {
  let length = 0;
  return nodes.flatMap((node) => {
    if (!isFunctionNode(node)) {
      if (isSimpleBlockNode(node)) node.value = replaceVariables(node.value, variables);
      return [node];
    }
    if (node.getName().toLowerCase() !== 'var') {
      node.value = replaceVariables(node.value, variables);
      return [node];
    }
    const value = variables.get(nameOf(node.value));
    length += value?.length ?? 0;
    if (length > MAX_CHARACTERS) throw new LogoRefusal('logo_too_complex');
    if (value !== undefined) return parseCss(value);
    const comma = node.value.findIndex(isComma);
    if (comma === -1) throw UNSET;
    return replaceVariables(node.value.slice(comma + 1), variables);
  });
}

function nameOf(nodes: ComponentValue[]): string {
  const first = nodes.find((node) => isTokenNode(node) && isTokenIdent(node.value));
  return isTokenNode(first) && isTokenIdent(first.value) ? first.value[4].value : '';
}

function isComma(node: ComponentValue): boolean {
  return isTokenNode(node) && isTokenComma(node.value);
}

/** Throws `INVALID` for a colour that is none. */
function resolveFunctions(
  nodes: ComponentValue[],
  current: string,
  within?: 'colour' | 'other',
): ComponentValue[] {
  return nodes.flatMap((node) => {
    if (isTokenNode(node) && isTokenURL(node.value)) checkAddress(node.value[4].value);
    if (within && /^currentcolor$/i.test(node.toString())) return parseCss(current);
    if (!isFunctionNode(node)) return [node];
    const name = node.getName();
    if (PRINTER_COLOUR.test(name)) return [];
    if (/^(?:url|src)$/i.test(name)) {
      for (const one of node.value) {
        if (isTokenNode(one) && isTokenString(one.value)) checkAddress(one.value[4].value);
      }
    }
    const isColourFunction = COLOURS.test(name);
    node.value = resolveFunctions(node.value, current, isColourFunction ? 'colour' : (within ?? 'other'));
    // Drawn on white.
    if (/^light-dark$/i.test(name)) return node.value.slice(0, node.value.findIndex(isComma));
    if (SUMS.test(name) && within !== 'colour') return sumOf(node);
    if (!isColourFunction) return [node];
    const found = color(node);
    if (!found) throw INVALID;
    return [serializeRGB(found, false)];
  });
}

/** Sums of lengths and percentages cannot be computed before it is drawn. */
function sumOf(node: FunctionNode): ComponentValue[] {
  const [sum = []] = calcFromComponentValues([[node]]);
  if (sum.some(isFunctionNode)) throw new LogoRefusal('logo_undrawable');
  return sum;
}

function checkAddress(address: string): void {
  if (!/^\s*(?:#|data:|$)/i.test(address)) throw new LogoRefusal('logo_unsafe');
}

/** Whether a value is a colour, and nothing but a colour. */
export function isColour(value: string): boolean {
  const [first, ...others] = parseCss(value.trim());
  return first !== undefined && others.length === 0 && color(first) !== false;
}
