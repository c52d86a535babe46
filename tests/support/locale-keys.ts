import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { readSources } from './sources';

interface KeyUse {
  /** File and source text of the use, for error messages. */
  place: string;
  /** Matches `namespace:key`; plural forms count as their stem. */
  matches: RegExp;
  /** Whether at least one text must exist for it. */
  isRequired: boolean;
}

const ANY_NAMESPACE = '[^:]+';
const PLURAL_FORM = /^(.+)_(zero|one|two|few|many|other)$/;

/** Names of the files in one language's folder, without `.json`. */
export function listNamespaces(locale: string): string[] {
  return readdirSync(join('locales', locale))
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}

/** Every string of a file by its dotted path, in file order; list items count by their position. */
export function readTexts(locale: string, namespace: string): Map<string, string> {
  return new Map(listTexts(JSON.parse(readFileSync(pathOf(locale, namespace), 'utf8'))));
}

function listTexts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) throw new TypeError(`${path} is no text`);
  return Object.entries(value).flatMap(([key, part]) => listTexts(part, path ? `${path}.${key}` : key));
}

/** Duplicate keys of a file, which JSON.parse would accept silently. */
export function listRepeatedKeys(locale: string, namespace: string): string[] {
  const path = pathOf(locale, namespace);
  const repeated: string[] = [];
  function walk(node: ts.Node): void {
    if (ts.isObjectLiteralExpression(node)) {
      const names = node.properties.map(({ name }) => name?.getText() ?? '');
      repeated.push(...names.filter((name, position) => names.indexOf(name) !== position));
    }
    node.forEachChild(walk);
  }
  walk(ts.createSourceFile('texts.ts', `(${readFileSync(path, 'utf8')})`, ts.ScriptTarget.Latest, true));
  return repeated.map((name) => `${path} ${name}`);
}

/** `caption_one` → stem `caption`, form `one`; null if the file has no `caption_other`. */
export function findPlural(key: string, texts: Map<string, string>): { stem: string; form: string } | null {
  const [, stem, form] = PLURAL_FORM.exec(key) ?? [];
  return stem && form && texts.has(`${stem}_other`) ? { stem, form } : null;
}

export function stemOf(key: string, texts: Map<string, string>): string {
  return findPlural(key, texts)?.stem ?? key;
}

/** Every key that the website uses: the first argument of `t(…)`, and `namespace:key` literals elsewhere. */
export function listKeyUses(namespaces: string[]): KeyUse[] {
  return readSources()
    .filter(({ path }) => path.startsWith('app/'))
    .flatMap(({ path, text }) => listUsesIn(path, text, namespaces));
}

function listUsesIn(path: string, text: string, namespaces: string[]): KeyUse[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const own = ownNamespaces(source);
  const uses: KeyUse[] = [];
  const loose: ts.StringLiteralLike[] = [];
  let hasUnreadable = false;

  const add = (node: ts.Node, key: string, end: string, isRequired: boolean) =>
    uses.push({
      place: `${path} ${node.getText()}`,
      matches: new RegExp(`^${/^[\w-]+:/.test(key) ? key : `(?:${own}):${key}`}${end}$`),
      isRequired,
    });

  function walk(node: ts.Node): void {
    const [key, ...options] = ts.isCallExpression(node) && isTranslate(node) ? node.arguments : [];
    if (key) {
      const end = options.some((option) => option.getText().includes('returnObjects')) ? '(?:\\..+)?' : '';
      for (const part of alternatives(key)) {
        const pattern = patternOf(part);
        if (pattern === null) hasUnreadable = true;
        else add(part, pattern, end, true);
      }
      for (const option of options) walk(option);
      return;
    }
    if (ts.isStringLiteralLike(node)) loose.push(node);
    node.forEachChild(walk);
  }

  walk(source);
  for (const literal of loose) {
    if (namespaces.some((name) => literal.text.startsWith(`${name}:`))) {
      // The handle of a page: the document head reads the title and, if any, the description below it.
      const below = literal.text.endsWith(':') ? '' : '\\.';
      add(literal, escapeRegExp(literal.text), `(?:${below}title)?`, true);
      add(literal, escapeRegExp(literal.text), `${below}description`, false);
    } else if (hasUnreadable) add(literal, escapeRegExp(literal.text), '', false);
  }
  return uses;
}

/** Namespaces named by `useTranslation` and `getFixedT` in this file, joined for a regular expression. */
export function ownNamespaces(source: ts.SourceFile): string {
  const found = new Set<string>();
  function walk(node: ts.Node): void {
    if (ts.isCallExpression(node)) {
      const name = calledName(node);
      const [first, second] = node.arguments;
      if (name === 'useTranslation') found.add(first ? namespaceOf(first) : 'common');
      if (name === 'getFixedT') found.add(second ? namespaceOf(second) : 'common');
    }
    node.forEachChild(walk);
  }
  walk(source);
  return [...found].join('|') || ANY_NAMESPACE;
}

function namespaceOf(node: ts.Expression): string {
  const first = ts.isArrayLiteralExpression(node) ? node.elements[0] : node;
  return first && ts.isStringLiteralLike(first) ? escapeRegExp(first.text) : ANY_NAMESPACE;
}

function isTranslate(call: ts.CallExpression): boolean {
  return calledName(call) === 't';
}

function calledName({ expression }: ts.CallExpression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  return ts.isIdentifier(expression) ? expression.text : '';
}

function alternatives(node: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return alternatives(node.expression);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(alternatives);
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(alternatives);
  return [node];
}

/** A pattern with wildcards for the expressions of a template; null for keys known only at run time. */
function patternOf(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return escapeRegExp(node.text);
  if (!ts.isTemplateExpression(node)) return null;
  return (
    escapeRegExp(node.head.text) +
    node.templateSpans.map(({ literal }) => `.+${escapeRegExp(literal.text)}`).join('')
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function pathOf(locale: string, namespace: string): string {
  return join('locales', locale, `${namespace}.json`);
}
