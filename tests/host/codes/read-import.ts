import type { ImportProblem } from '#contract/imports';
import { type ImportedRow, readImport } from '#host/codes/import/report';

export const RULES = {
  publicUrl: 'https://quadrille.example',
  shortUrl: 'https://q.example',
  hostPublicUrl: 'https://host.example',
  blockedHosts: new Set<string>(),
};

/** Reads a file as the process for imports does, with all its rows and problems. */
export function importOf(file: string | string[] | Uint8Array, tagKeys: string[] = []) {
  const bytes =
    file instanceof Uint8Array ? file : Buffer.from(typeof file === 'string' ? file : file.join('\n'));
  const { report, parts, problemPages, repeated } = readImport({ bytes, rules: RULES, tagKeys });
  const imported = parts.flatMap((part): ImportedRow[] => JSON.parse(part));
  const later = problemPages.flatMap((page): ImportProblem[] => JSON.parse(page));
  return { report, imported, problems: [...report.problems, ...later], repeated };
}

/** What the rows become, in their order: name and content, or field and reason of each problem. */
export function rowsOf(file: string | string[] | Uint8Array) {
  const { imported, problems } = importOf(file);
  return [
    ...imported.map(({ row, design }) => [row, design.name, design.content] as const),
    ...problems.map(({ row, field, reason }) => [row, field, reason] as const),
  ].sort(([a], [b]) => a - b);
}
