import { CODE_TYPES } from '#contract/contents/contents';
import type { Source } from './sources';

const NAME = `'(?:${CODE_TYPES.join('|')})'`;
const NAMING_TYPES = [
  String.raw`\btype\s*[!=]==\s*${NAME}|${NAME}\s*[!=]==\s*(?:\w+\.)*type\b`,
  String.raw`\bcase ${NAME}:`,
  String.raw`\btype(?: as \w+)?: ${NAME}`,
  String.raw`(?:\|\||\?\?) ${NAME}`,
  String.raw`\btype (?:=|<>|in \() ?${NAME}`,
  // Lists, unions and records.
  String.raw`${NAME}(?:,| \|)\s+${NAME}`,
  String.raw`\b(?:${CODE_TYPES.join('|')}): '[^' ]*',\s+(?:${CODE_TYPES.join('|')}): '`,
].map((pattern) => new RegExp(pattern));

/** Where a file distinguishes or lists types of content by name. */
export function typesNamedIn(text: string): string[] {
  const program = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return NAMING_TYPES.flatMap((pattern) => pattern.exec(program)?.[0] ?? []);
}

/** Whether a file reads the environment in any notation; values inlined by the build do not count. */
export function readsEnvironment(text: string): boolean {
  return [
    /\bprocess\s*(?:\?\.|\.)\s*env\b/,
    /\bprocess\s*(?:\?\.)?\s*\[/,
    /[{,]\s*env\b[^}=]*\}\s*=\s*(?:globalThis\s*\.\s*)?process\b/,
    /\b(?:from|import|require)\s*\(?\s*['"`](?:node:)?process['"`]/,
    /\bimport\.meta\.env\b(?!\.PROD\b)/,
  ].some((form) => form.test(text));
}

/** Whether a file disables a test, a lint rule or a compiler check. */
export function disablesChecks(text: string): boolean {
  return [
    /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|disableRules|waitForTimeout/,
    /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|only|todo|fixme|fails|skipIf|runIf)\b/,
    /\.(?:skipIf|runIf)\(|\.(?:skip|only|todo|fixme|fails)\(\s*['"`]/,
    /\b(?:xit|xtest|xdescribe|fit|fdescribe)\(/,
    /\b(?:context|ctx|task)\.skip\(/,
    /\b(?:skip|only|todo|fails)\s*:\s*(?:true|!)/,
    /\bretry\s*:\s*[1-9]\d*\s*[,}]/,
  ].some((form) => form.test(text));
}

/** Keywords that end a list of tables outside parentheses. */
const AFTER_TABLES =
  /^(?:where|group|order|limit|offset|fetch|having|window|union|intersect|except|returning|set|for|select|values)$/i;

/** Names of the tables that handwritten SQL reads or changes, including those after a comma. */
export function tablesNamedIn(program: string): Set<string> {
  const names = new Set<string>();
  for (const { 0: keyword, index } of program.matchAll(
    /(?<!\bdistinct\s+)\b(?:from|join|into|update|using|table)\s+/gi,
  )) {
    for (const item of itemsFrom(program.slice(index + keyword.length))) {
      const [, name] = /^\s*(?:only\s+)?(?:"?public"?\s*\.\s*)?"?([a-z_]\w*)"?/i.exec(item) ?? [];
      if (name) names.add(name);
    }
  }
  return names;
}

/** The resources that access each table, through an import or in handwritten SQL. */
export function tablesTouched(sources: Source[]): Record<string, string[]> {
  const declared = sources
    .filter(({ path }) => path.endsWith('.tables.ts'))
    .flatMap(({ text }) => [...text.matchAll(/export const (\w+) = pgTable\(\s*'(\w+)'/g)])
    .map(([, name = '', table = '']) => ({ name, table, resources: new Set<string>() }));
  for (const { path, text } of sources) {
    const [, resource] = /^host\/([\w-]+)\//.exec(path) ?? [];
    if (!resource || resource === 'db') continue;
    const program = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const named = tablesNamedIn(program);
    const imported = [...program.matchAll(/import \{([^}]*)\} from '#host\/db\/\w+\.tables'/g)]
      .map(([, names]) => names)
      .join();
    for (const { name, table, resources } of declared) {
      if (new RegExp(`\\b${name}\\b`).test(imported) || named.has(table)) resources.add(resource);
    }
  }
  return Object.fromEntries(declared.map(({ table, resources }) => [table, [...resources].sort()]));
}

/** The items between commas outside parentheses, up to the end of the list. */
function itemsFrom(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/\w+|[^\w]/g)) {
    if (token === ')') depth -= 1;
    if (depth < 0 || (depth === 0 && (/^[;`'$]$/.test(token) || AFTER_TABLES.test(token)))) break;
    if (token === '(') depth += 1;
    if (token === ',' && depth === 0) items.push('');
    else items[items.length - 1] += token;
  }
  return items;
}

/** Import cycles, type-only ones included, each as its path. */
export function importCycles(sources: Source[]): string[] {
  const graph = new Map(sources.map(({ path, imports }) => [path, imports.map(({ path: to }) => to)]));
  const cycles: string[] = [];
  const done = new Set<string>();
  function walk(path: string, trail: string[]): void {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  }
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}

/** A module with fewer lines needs at least two importers; otherwise it belongs in its only importer. */
const SHORT_LINES = 25;

/** Short modules with a single importer, except files of routes, which only one file ever mounts. */
export function shortSingleUseModules(sources: Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    for (const { path: to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(path));
  }
  return sources
    .filter(({ path, lines }) => lines < SHORT_LINES && !/routes\.ts$|\/contents\//.test(path))
    .flatMap(({ path }) => (importers.get(path)?.size === 1 ? [path] : []));
}

/** Exports that the product never uses, not even in their own file; at most a test does. */
export function unusedExports(sources: Source[]): string[] {
  const uses = new Map<string, number>();
  for (const { text } of sources) {
    for (const [word] of text.matchAll(/[\w$]+/g)) uses.set(word, (uses.get(word) ?? 0) + 1);
  }
  return sources.flatMap(({ path, exports }) =>
    exports.filter((name) => (uses.get(name) ?? 0) < 2).map((name) => `${path}: ${name}`),
  );
}
