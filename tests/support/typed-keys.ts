import { relative, resolve } from 'node:path';
import ts from 'typescript';
import { ownNamespaces } from './locale-keys';
import { listFiles } from './sources';

interface TypedCall {
  /** File and source text of the `t(…)` call. */
  place: string;
  /** One pattern for each `namespace:key` that the call may use; null if the types do not tell which. */
  requested: RegExp[] | null;
}

/**
 * Every call of `t` in the website with all keys that it may use, derived from the types of the key's parts.
 * Calls with a fallback (`defaultValue`) are left out; of several alternative keys, only the last one counts.
 */
export function listTypedCalls(): TypedCall[] {
  const files = listFiles().filter((file) => /^app\/.*\.tsx?$/.test(file));
  const program = ts.createProgram(files, optionsOf('tsconfig.json'));
  const checker = program.getTypeChecker();
  const paths = new Set(files.map((file) => resolve(file)));
  return program
    .getSourceFiles()
    .filter(({ fileName }) => paths.has(resolve(fileName)))
    .flatMap((source) => callsIn(source, checker));
}

function optionsOf(config: string): ts.CompilerOptions {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const { incremental, tsBuildInfoFile, ...options } =
    ts.getParsedCommandLineOfConfigFile(config, {}, host)?.options ?? {};
  return options;
}

function callsIn(source: ts.SourceFile, checker: ts.TypeChecker): TypedCall[] {
  const own = ownNamespaces(source);
  const calls: TypedCall[] = [];
  function walk(node: ts.Node): void {
    const [key, ...options] = ts.isCallExpression(node) && isTranslate(node) ? node.arguments : [];
    if (key && !options.some(hasFallback)) {
      const isWhole = options.some((option) => option.getText().includes('returnObjects'));
      const keys = keysOf(key, checker);
      calls.push({
        place: `${relative('.', source.fileName)} ${node.getText().replace(/\s+/g, ' ')}`,
        requested: keys?.map((name) => patternOf(name, own, isWhole)) ?? null,
      });
    }
    node.forEachChild(walk);
  }
  walk(source);
  return calls;
}

function isTranslate({ expression }: ts.CallExpression): boolean {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) && name.text === 't';
}

function hasFallback(option: ts.Expression): boolean {
  return !ts.isObjectLiteralExpression(option)
    ? ts.isStringLiteralLike(option) || ts.isCallExpression(option)
    : option.properties.some(({ name }) => name?.getText() === 'defaultValue');
}

function patternOf(key: string, own: string, isWhole: boolean): RegExp {
  const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${/^[\w-]+:/.test(key) ? '' : `(?:${own}):`}${escaped}${isWhole ? '\\..+' : ''}$`);
}

function keysOf(node: ts.Expression, checker: ts.TypeChecker): string[] | null {
  if (ts.isParenthesizedExpression(node)) return keysOf(node.expression, checker);
  if (ts.isArrayLiteralExpression(node)) {
    const last = node.elements.at(-1);
    return last ? keysOf(last, checker) : null;
  }
  if (ts.isConditionalExpression(node)) {
    return joined([node.whenTrue, node.whenFalse].map((part) => keysOf(part, checker)));
  }
  if (!ts.isTemplateExpression(node)) return namesIn(checker.getTypeAtLocation(node));
  return node.templateSpans.reduce<string[] | null>(
    (beginnings, { expression, literal }) => {
      const names = keysOf(expression, checker);
      return beginnings && names && beginnings.flatMap((from) => names.map((n) => from + n + literal.text));
    },
    [node.head.text],
  );
}

/** The values of a literal type or a union of them; null for any other type. */
function namesIn(type: ts.Type): string[] | null {
  if (type.isUnion()) return joined(type.types.map(namesIn));
  return type.isStringLiteral() || type.isNumberLiteral() ? [String(type.value)] : null;
}

function joined(lists: (string[] | null)[]): string[] | null {
  return lists.some((list) => list === null) ? null : lists.flatMap((list) => list ?? []);
}
