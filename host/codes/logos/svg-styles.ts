import { compile } from 'css-select';
import { cloneNode, Element, isTag, isText } from 'domhandler';
import { type Declaration, type Rule, readDeclarations, readStyleSheet } from './css-rules';
import { INVALID, resolveValue, resolveVariables, type Scope, UNSET } from './css-values';
import { LogoRefusal } from './formats';
import { MAX_CHARACTERS } from './svg-text';
import { elementsOf, textOf } from './svg-tree';

/** What elements inherit, as far as it is computed here. */
interface Inherited extends Scope {
  variables: ReadonlyMap<string, string>;
  font: string;
}

const OPTIONS = { xmlMode: true };
/** Attributes that are no properties. */
const PLAIN = /^(?:id|class|style|href|d|points)$/;
const RESET = /^(?:initial|unset|revert|revert-layer)$/i;
/** What `initial` stands for, where it is not the same as no value. */
const INITIAL: Record<string, string> = {
  color: 'black',
  fill: 'black',
  stroke: 'none',
  'stroke-width': '1',
};
/** A shape that is cut out without an element for it. */
const CLIP_SHAPE = /^(?:circle|ellipse|inset|polygon|path|rect|xywh|shape)\(/i;
/** More copies than any logo needs. */
const MAX_COPIES = 50_000;

/**
 * Moves the rules of all style sheets into the `style` attributes of the elements they match, with variables and colours
 * computed: the renderer knows neither variables nor the newer selectors, queries and colours. Refuses text in a font
 * that the drawing embeds.
 */
export function applyStyles(root: Element): void {
  const elements = elementsOf(root);
  const styles = elements.filter(({ name }) => name === 'style');
  const sheets = styles.map((style) => readStyleSheet(textOf(style), style.attribs.media));
  for (const style of styles) style.children = [];
  const named = elements
    .filter(({ name }) => name === 'font-face')
    .map(({ attribs }) => attribs['font-family']);
  const fonts = [...sheets.flatMap((sheet) => sheet.fonts), ...named].map((name) => name?.toLowerCase());
  const matching = indexRules(sheets.flatMap(({ rules }) => rules));
  const rules = new Map(elements.map((element) => [element, matching(element)]));
  const copies = createCopies(root, elements, rules);
  const computed = new Map<Element, Element['attribs']>();
  let left = 2 * MAX_CHARACTERS;

  function apply(element: Element, inherited: Inherited): void {
    if (element.name.startsWith('foreign:')) return;
    const { attribs, style } = computeStyle(element, rules.get(element) ?? [], inherited);
    computed.set(element, attribs);
    left -= attribs.style?.length ?? 0;
    if (left < 0) throw new LogoRefusal('logo_too_complex');
    const hasText = element.children.some((child) => isText(child) && child.data.trim() !== '');
    if (hasText && fontNamesOf(style.font).some((name) => fonts.includes(name))) {
      throw new LogoRefusal('logo_undrawable');
    }
    for (const child of element.children) if (isTag(child)) apply(child, style);
    copies.applyTo(element, attribs, (copy) => apply(copy, style));
  }
  const variables = new Map(sheets.flatMap(({ initial }) => initial));
  apply(root, { variables, colour: 'black', font: '' });
  for (const [element, attribs] of computed) element.attribs = attribs;
  copies.append();
}

/** Names in `font-family`, or at the end of each part of `font`. */
function fontNamesOf(value: string): string[] {
  const parts = value.toLowerCase().split(',');
  return parts.flatMap((part) => {
    const [, quoted] = /["']([^"']*)["']\s*$/.exec(part) ?? [];
    return [quoted ?? part.trim(), part.trim().split(/\s/).at(-1) ?? ''];
  });
}

/** Whether a value is computed from what a `use` element inherits; the renderer knows a plain `currentColor`. */
function dependsOnUse(value: string): boolean {
  return /var\(/i.test(value) || (value.includes('(') && /currentcolor/i.test(value));
}

/** What a `use` element shows inherits its variables, so it gets a copy of its own if it needs them. */
function createCopies(root: Element, elements: Element[], rules: Map<Element, Rule[]>) {
  const named = new Map<string, Element>();
  for (const element of elements) {
    const { id } = element.attribs;
    if (id && !named.has(id)) named.set(id, element);
  }
  const needs = new Map<Element, boolean>();
  const open: Element[] = [];
  const made: Element[] = [];
  let left = MAX_COPIES;

  function needsVariables(target: Element): boolean {
    const known = needs.get(target);
    if (known !== undefined) return known;
    needs.set(target, false);
    const found = elementsOf(target).some((element) => {
      const values = [
        ...Object.values(element.attribs),
        ...(rules.get(element) ?? []).flatMap((rule) => rule.declarations.map(({ value }) => value)),
      ];
      const next = element.name === 'use' ? targetOf(element) : undefined;
      return values.some(dependsOnUse) || (next && needsVariables(next));
    });
    needs.set(target, found);
    return found;
  }
  function targetOf({ attribs }: Element): Element | undefined {
    return named.get(/^#(.*)$/s.exec(attribs.href ?? '')?.[1] ?? '');
  }
  return {
    applyTo(use: Element, attribs: Element['attribs'], apply: (copy: Element) => void): void {
      const target = use.name === 'use' ? targetOf(use) : undefined;
      if (!target || open.includes(target) || !needsVariables(target)) return;
      const copy = cloneNode(target, true);
      const [originals, cloned] = [elementsOf(target), elementsOf(copy)];
      left -= cloned.length;
      if (left < 0) throw new LogoRefusal('logo_too_complex');
      for (const [n, element] of cloned.entries()) {
        const origin = originals[n];
        if (origin) rules.set(element, rules.get(origin) ?? []);
        delete element.attribs.id;
      }
      copy.attribs.id = `${target.attribs.id}-${made.length}`;
      attribs.href = `#${copy.attribs.id}`;
      made.push(copy);
      open.push(target);
      apply(copy);
      open.pop();
    },
    append(): void {
      if (made.length === 0) return;
      const defs = new Element('defs', {}, made);
      for (const copy of made) copy.parent = defs;
      defs.parent = root;
      root.children.push(defs);
    },
  };
}

function computeStyle(element: Element, rules: Rule[], inherited: Inherited) {
  const attribs = { ...element.attribs };
  const declarations = declarationsFor(rules, attribs.style);
  const variables = computeVariables(declarations, inherited.variables);
  const named = [
    attribs.color ?? '',
    ...declarations.flatMap((one) => (one.property === 'color' ? one.value : [])),
  ];
  const above: Scope = { variables, colour: inherited.colour };
  const scope = {
    variables,
    colour: named.reduce((colour, value) => colourOf(value, above) ?? colour, above.colour),
  };
  const resolve = (property: string, value: string) =>
    resolveValue(value, property === 'color' ? above : scope);

  for (const [name, value] of Object.entries(attribs)) {
    const resolved = PLAIN.test(name) ? value : resolve(name, value);
    if (typeof resolved === 'string') attribs[name] = resolved;
    else delete attribs[name];
  }
  const values = new Map<string, string[]>();
  for (const { property, value } of declarations) {
    if (property.startsWith('--')) continue;
    const initial = /^initial$/i.test(value) ? INITIAL[property] : undefined;
    const resolved = RESET.test(value) ? (initial ?? UNSET) : resolve(property, value);
    if (typeof resolved === 'string') values.set(property, [...(values.get(property) ?? []), resolved]);
    if (resolved !== UNSET) continue;
    values.delete(property);
    delete attribs[property];
  }
  const fonts = [
    ...(values.get('font') ?? []),
    ...(values.get('font-family') ?? [attribs['font-family'] ?? '']),
  ];
  const font = fonts.filter((value) => value !== '' && value !== 'inherit').join() || inherited.font;
  delete attribs.style;
  // The only attribute of which the renderer does not read the property.
  const outline = /^path\(\s*(["'])(.*)\1\s*\)$/s.exec(values.get('d')?.at(-1) ?? '')?.[2];
  if (outline !== undefined) attribs.d = outline;
  const clip = values.get('clip-path')?.at(-1) ?? attribs['clip-path'] ?? '';
  if (CLIP_SHAPE.test(clip)) throw new LogoRefusal('logo_undrawable');
  if (values.size > 0) {
    attribs.style = [...values].flatMap(([name, all]) => all.map((value) => `${name}:${value}`)).join(';');
  }
  return { attribs, style: { ...scope, font } };
}

/** Weakest first. */
function declarationsFor(rules: Rule[], style: string | undefined): Declaration[] {
  const all = [...rules.flatMap((rule) => rule.declarations), ...(style ? readDeclarations(style) : [])];
  const isImportant = (one: Declaration) => one.isImportant;
  return all.some(isImportant) ? [...all.filter((one) => !one.isImportant), ...all.filter(isImportant)] : all;
}

/** The colour that a value of `color` makes current; undefined if it changes nothing. */
function colourOf(value: string, above: Scope): string | undefined {
  if (value === '') return undefined;
  const resolved = RESET.test(value) ? UNSET : resolveValue(value, above);
  if (resolved === INVALID) return undefined;
  return resolved === UNSET || /^(?:inherit|currentcolor)$/i.test(resolved) ? above.colour : resolved;
}

/** The custom properties of an element. Those that refer to themselves, by whatever way, have no value. */
function computeVariables(declarations: Declaration[], inherited: Inherited['variables']) {
  const own = new Map(
    declarations
      .filter(({ property }) => property.startsWith('--'))
      .map(({ property, value }) => [property, value]),
  );
  if (own.size === 0) return inherited;
  const all = new Map(inherited);
  for (const name of own.keys()) all.delete(name);
  const open = new Set<string>();
  const lookup = {
    get(name: string): string | undefined {
      const value = own.get(name);
      if (value === undefined || open.has(name)) return all.get(name);
      open.add(name);
      const keeps = /^(?:inherit|unset|revert|revert-layer)$/i.test(value);
      const resolved = keeps ? inherited.get(name) : resolveVariables(value, lookup);
      open.delete(name);
      own.delete(name);
      if (resolved !== undefined) all.set(name, resolved);
      return resolved;
    },
  };
  for (const name of [...own.keys()]) lookup.get(name);
  return all;
}

interface Candidate {
  rule: Rule;
  order: number;
  specificity: number;
  matches: (element: Element) => boolean;
}

/** Finds the rules that match an element, weakest first; by the last name of a selector, few have to be tried. */
function indexRules(rules: Rule[]): (element: Element) => Rule[] {
  const index = new Map<string, Candidate[]>();
  for (const [order, rule] of rules.entries()) {
    for (const { tokens, specificity } of rule.selectors) {
      const key = keyOf(tokens);
      const candidates = index.get(key) ?? [];
      candidates.push({ rule, order, specificity, matches: matcherOf(tokens) });
      index.set(key, candidates);
    }
  }
  return (element) => {
    const { id = '', class: classes = '' } = element.attribs;
    const keys = ['', element.name, `#${id}`, ...classes.split(/\s+/).map((one) => `.${one}`)];
    return [...new Set(keys)]
      .flatMap((key) => index.get(key) ?? [])
      .filter(({ matches }) => matches(element))
      .sort((a, b) => a.rule.layer - b.rule.layer || a.specificity - b.specificity || a.order - b.order)
      .map(({ rule }) => rule);
  };
}

/** A name that every element has that the selector matches. */
function keyOf(tokens: Rule['selectors'][number]['tokens']): string {
  for (const token of tokens.toReversed()) {
    if (token.type === 'tag') return token.name;
    if (token.type === 'attribute' && token.ignoreCase === 'quirks') {
      if (token.action === 'equals') return `#${token.value}`;
      if (token.action === 'element') return `.${token.value}`;
    }
    if (!/^(?:attribute|pseudo|universal)$/.test(token.type)) break;
  }
  return '';
}

/** Selectors that cannot be compiled match nothing. */
function matcherOf(tokens: Rule['selectors'][number]['tokens']): (element: Element) => boolean {
  let compiled: ((element: Element) => boolean) | undefined;
  return (element) => {
    try {
      compiled ??= compile([tokens], OPTIONS) as (element: Element) => boolean;
    } catch {
      compiled = () => false;
    }
    return compiled(element);
  };
}
