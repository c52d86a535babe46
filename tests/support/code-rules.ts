/** Whether a program reads the environment, by whichever spelling; what the build puts in is no part of it. */
export function readsEnvironment(text: string): boolean {
  return [
    /\bprocess\s*(?:\?\.|\.)\s*env\b/,
    /\bprocess\s*(?:\?\.)?\s*\[/,
    /[{,]\s*env\b[^}=]*\}\s*=\s*(?:globalThis\s*\.\s*)?process\b/,
    /\b(?:from|import|require)\s*\(?\s*['"`](?:node:)?process['"`]/,
    /\bimport\.meta\.env\b(?!\.PROD\b)/,
  ].some((form) => form.test(text));
}

/** Whether a file switches off a test, a rule of the linter or a check of the compiler. */
export function switchesOff(text: string): boolean {
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

/** Where a list of tables ends, outside parentheses. */
const AFTER_TABLES =
  /^(?:where|group|order|limit|offset|fetch|having|window|union|intersect|except|returning|set|for|select|values)$/i;

/** Names of the tables that SQL written by hand reads or changes, also those after a comma. */
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

/** What is between commas outside parentheses, up to the end of the list. */
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
