import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import routes from '~/routes';

export interface Source {
  path: string;
  text: string;
  lines: number;
  /** Imported project files, with whether the import is erased at run time. */
  imports: { path: string; typeOnly: boolean }[];
  exports: string[];
}

/** Files of the table of addresses: pages, and routes without one. */
export const ROUTE_FILES = routes.map(({ file }) => `app/${file}`);

/** Every file that git tracks, and untracked files that it does not ignore. */
export function listFiles(): string[] {
  const output = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  return [...new Set(output.split('\n').filter(Boolean))];
}

const PRODUCT = ['app', 'contract', 'host', 'runtime'];

/** TypeScript in these folders, by default the product's own, without tests and benchmarks. */
export function readSources(folders = PRODUCT): Source[] {
  const files = listFiles().filter((file) => /\.tsx?$/.test(file));
  const known = new Set(files);
  const read = files.filter((file) => folders.includes(file.split('/')[0] ?? ''));
  return read.map((path) => readSource(path, known));
}

function readSource(path: string, files: Set<string>): Source {
  const text = readFileSync(path, 'utf8');
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const imports = parsed.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier)) return [];
    const target = resolveImport(path, specifier.text, files);
    const typeOnly = isImport ? isTypeImport(statement) : statement.isTypeOnly;
    return target ? [{ path: target, typeOnly }] : [];
  });
  const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)].flatMap(([, specifier]) => {
    const target = resolveImport(path, specifier ?? '', files);
    return target ? [{ path: target, typeOnly: false }] : [];
  });
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    imports: [...imports, ...dynamic],
    exports: parsed.statements.flatMap(exportedNames),
  };
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.isTypeOnly) return true;
  const named = importClause.namedBindings;
  return (
    !importClause.name &&
    !!named &&
    ts.isNamedImports(named) &&
    named.elements.every((element) => element.isTypeOnly)
  );
}

function exportedNames(statement: ts.Statement): string[] {
  if (
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
  ) {
    return statement.exportClause.elements.map(({ name }) => name.text);
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return ['default'];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  return 'name' in statement && statement.name ? [(statement.name as ts.Identifier).text] : [];
}

function resolveImport(from: string, specifier: string, files: Set<string>): string | undefined {
  const base = specifier.startsWith('~/')
    ? `app/${specifier.slice(2)}`
    : specifier.startsWith('#')
      ? specifier.slice(1)
      : specifier.startsWith('.')
        ? normalize(join(dirname(from), specifier))
        : undefined;
  if (!base) return undefined;
  return [base, `${base}.ts`, `${base}.tsx`].find((candidate) => files.has(candidate));
}
