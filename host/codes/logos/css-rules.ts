import {
  type ComponentValue,
  isSimpleBlockNode,
  isTokenNode,
  isWhiteSpaceOrCommentNode,
  stringify,
} from '@csstools/css-parser-algorithms';
import {
  isTokenAtKeyword,
  isTokenCDC,
  isTokenCDO,
  isTokenComma,
  isTokenSemicolon,
} from '@csstools/css-tokenizer';
import { parse as parseSelector, type Selector } from 'css-what';
import { parseCss } from './css-values';
import { LogoRefusal } from './formats';

export interface Declaration {
  /** In small letters, unless it is a custom property. */
  property: string;
  value: string;
  isImportant: boolean;
}

export interface Rule {
  selectors: { tokens: Selector[]; specificity: number }[];
  declarations: Declaration[];
  /** A rule yields to those of later layers, and to those in none. */
  layer: number;
}

export interface StyleSheet {
  rules: Rule[];
  /** Names of the fonts that it embeds. */
  fonts: string[];
  /** Initial values of custom properties. */
  initial: [property: string, value: string][];
}

interface Place extends StyleSheet {
  /** Selectors of the rule that the statements are in. */
  parents: string[];
  layers: string[];
  layer: number;
}

/** Longer selectors are made only by rules nested to repeat one another. */
const MAX_CHARACTERS = 10_000;
/** Width and height for which media are queried: those of a stored logo. */
const SIDE_PX = 512;
const MET = /^(?:all|screen|\((?:color|prefers-color-scheme:light|prefers-reduced-motion(?::reduce)?)\))$/;
const SIZE = /^\((?:(min|max)-(?:width|height):|(?:width|height)(>=?|<=?))([\d.]+)px\)$/;

/** The rules of a style sheet that apply to a drawing on white. Refuses style sheets that load others. */
export function readStyleSheet(css: string, media = ''): StyleSheet {
  const sheet: StyleSheet = { rules: [], fonts: [], initial: [] };
  const place = { ...sheet, parents: [], layers: [], layer: Number.MAX_SAFE_INTEGER };
  if (isMet(media)) readStatements(parseRules(css), place);
  return sheet;
}

/** The declarations of a `style` attribute. */
export function readDeclarations(css: string): Declaration[] {
  return statementsOf(parseRules(css)).flatMap(({ prelude, block }) => (block ? [] : declarationOf(prelude)));
}

function parseRules(css: string): ComponentValue[] {
  return parseCss(css).filter(
    (node) => !(isTokenNode(node) && (isTokenCDO(node.value) || isTokenCDC(node.value))),
  );
}

function readStatements(nodes: ComponentValue[], place: Place): void {
  const declarations: Declaration[] = [];
  // Before the rules nested in it.
  if (place.parents.length > 0) {
    place.rules.push({ selectors: selectorsOf(place.parents), declarations, layer: place.layer });
  }
  for (const { keyword, prelude, block } of statementsOf(nodes)) {
    const text = stringify([prelude]).trim();
    if (keyword) readAtRule(keyword, text, block, place);
    else if (block) readStatements(block, { ...place, parents: nestedIn(place.parents, prelude) });
    else declarations.push(...declarationOf(prelude));
  }
}

function readAtRule(
  keyword: string,
  prelude: string,
  block: ComponentValue[] | undefined,
  place: Place,
): void {
  if (keyword === 'import') throw new LogoRefusal('logo_unsafe');
  if (keyword === 'font-face' && block) place.fonts.push(...fontOf(block));
  if (keyword === 'property' && block) {
    const initial = readDeclarations(stringify([block])).filter(
      ({ property }) => property === 'initial-value',
    );
    place.initial.push(...initial.map(({ value }): [string, string] => [prelude, value]));
  }
  const isRead =
    (keyword === 'media' && isMet(prelude)) || (keyword === 'supports' && !/^not\b/i.test(prelude));
  if (isRead && block) readStatements(block, place);
  if (keyword !== 'layer') return;
  for (const name of prelude.split(',')) {
    if (prelude === '' || !place.layers.includes(name.trim())) place.layers.push(name.trim());
  }
  const layer = prelude === '' ? place.layers.length - 1 : place.layers.indexOf(prelude);
  if (block) readStatements(block, { ...place, layer });
}

/** The name of an embedded font; refuses one in another file. */
function fontOf(block: ComponentValue[]): string[] {
  const declarations = readDeclarations(stringify([block]));
  const declared = (name: string) => declarations.find(({ property }) => property === name)?.value ?? '';
  const addresses = [...declared('src').matchAll(/url\(\s*["']?\s*([^"')\s]*)/gi)];
  if (addresses.some(([, address = '']) => !/^(?:data:|#)/i.test(address)))
    throw new LogoRefusal('logo_unsafe');
  return addresses.length > 0 ? [declared('font-family').replace(/["']/g, '').trim()] : [];
}

function isMet(media: string): boolean {
  return media.split(/,|\sor\s/i).some((query) => {
    const [, prefix = '', rest = ''] = /^\s*((?:not|only)\s)?(.*)$/is.exec(query) ?? [];
    const conditions = rest.split(/\sand\s/i).map((one) => one.replace(/\s/g, '').toLowerCase());
    return (prefix.toLowerCase().trim() === 'not') !== conditions.every(isConditionMet);
  });
}

function isConditionMet(condition: string): boolean {
  const [, bound, sign, side = ''] = SIZE.exec(condition) ?? [];
  if (bound || sign) {
    return bound === 'min' || sign?.startsWith('>') ? SIDE_PX >= Number(side) : SIDE_PX <= Number(side);
  }
  return condition === '' || MET.test(condition);
}

interface Statement {
  /** Of an at-rule. */
  keyword: string | undefined;
  prelude: ComponentValue[];
  block: ComponentValue[] | undefined;
}

/** Splits at semicolons and after blocks. */
function statementsOf(nodes: ComponentValue[]): Statement[] {
  const statements: Statement[] = [];
  let prelude: ComponentValue[] = [];
  const end = (block?: ComponentValue[]) => {
    const [first] = prelude;
    const keyword =
      isTokenNode(first) && isTokenAtKeyword(first.value) ? first.value[4].value.toLowerCase() : undefined;
    if (first || block) statements.push({ keyword, prelude: keyword ? prelude.slice(1) : prelude, block });
    prelude = [];
  };
  for (const node of nodes) {
    if (isTokenNode(node) && isTokenSemicolon(node.value)) end();
    else if (isSimpleBlockNode(node) && node.startToken[1] === '{' && !isCustom(prelude)) end(node.value);
    else if (prelude.length > 0 || !isWhiteSpaceOrCommentNode(node)) prelude.push(node);
  }
  end();
  return statements;
}

/** Whether a declaration of a custom property has begun, whose value may have braces. */
function isCustom([name]: ComponentValue[]): boolean {
  return name?.toString().startsWith('--') ?? false;
}

function declarationOf(nodes: ComponentValue[]): Declaration[] {
  const text = stringify([nodes.filter((node) => !isComment(node))]);
  const [, name = '', whole = ''] = /^([^\s:]+)\s*:\s*(.*)$/s.exec(text) ?? [];
  const value = whole.replace(/\s*!\s*important\s*$/i, '');
  const property = name.startsWith('--') ? name : name.toLowerCase();
  return name === '' ? [] : [{ property, value: value.trim(), isImportant: value !== whole }];
}

function isComment(node: ComponentValue): boolean {
  return isWhiteSpaceOrCommentNode(node) && node.toString().startsWith('/*');
}

/** Selectors of a rule, written so that they match without the rules around it. */
function nestedIn(parents: string[], prelude: ComponentValue[]): string[] {
  const parts: ComponentValue[][] = [[]];
  for (const node of prelude) {
    if (isTokenNode(node) && isTokenComma(node.value)) parts.push([]);
    else if (!isComment(node)) parts.at(-1)?.push(node);
  }
  const parent = parents.length > 0 ? `:is(${parents.join()})` : '';
  return parts.map((part) => {
    const text = stringify([part]).trim();
    const isNamed = parent === '' || text.includes('&');
    const selector = isNamed ? text.replaceAll('&', parent || ':root') : `${parent} ${text}`;
    if (selector.length > MAX_CHARACTERS) throw new LogoRefusal('logo_too_complex');
    return selector;
  });
}

/** None if one of them is invalid, as with browsers. */
function selectorsOf(selectors: string[]): Rule['selectors'] {
  try {
    return parseSelector(selectors.join()).map((tokens) => ({ tokens, specificity: specificityOf(tokens) }));
  } catch {
    return [];
  }
}

/** Names count more than classes and classes more than elements, however many there are. */
function specificityOf(tokens: Selector[]): number {
  const weights = tokens.map((token) => {
    if (token.type === 'tag' || token.type === 'pseudo-element') return 1;
    if (token.type === 'attribute') return token.name === 'id' && token.ignoreCase === 'quirks' ? 1e6 : 1e3;
    if (token.type !== 'pseudo' || token.name === 'where') return 0;
    return Array.isArray(token.data) ? Math.max(0, ...token.data.map(specificityOf)) : 1e3;
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}
